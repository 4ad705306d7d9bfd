#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "src/common/message.hpp"
#include "src/gate/judge/conclude.hpp"
#include "src/gate/model/check_format.hpp"
#include "src/gate/report/messages.hpp"
#include "src/gate/report/reports.hpp"
#include "src/gate/report/wording.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::gate {
namespace {

using common::list_of;
using common::or_null;

using json = nlohmann::ordered_json;

/// JSON can represent only finite numbers.
json number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? json(*value) : json(nullptr);
}

/// The slowdown of a shift.
json slowdown_of(const std::optional<double>& shift) {
  return shift ? number(slowdown(*shift)) : json(nullptr);
}

json interval(const std::optional<statistics::interval>& shifts) {
  const double low = shifts ? slowdown(shifts->low) : 0;
  const double high = shifts ? slowdown(shifts->high) : 0;
  return shifts && std::isfinite(low) && std::isfinite(high) ? json{low, high} : json(nullptr);
}

json counts_of(const report& answer) {
  json counts;
  for (const auto result : worst_first) counts[to_string(result)] = answer.count(result);
  counts["of_baseline"] = answer.in_baseline();
  counts["not_measured"] = answer.not_measured();
  counts["not_measured_nor_allowed"] = answer.not_measured_nor_allowed();
  counts["compared"] = answer.compared();
  counts["advisory"] = answer.advisory();
  return counts;
}

json change_to_json(const changed_fact& changed) {
  const auto& [fact, allowed] = changed;
  return {{"key", fact.key},
          {"before", or_null(fact.before)},
          {"after", or_null(fact.after)},
          {"allowed", allowed}};
}

json messages_of(const std::vector<reason>& reasons, const limits& limits) {
  return list_of(reasons, [&](const reason& cause) { return to_json(message_of(cause, limits)); });
}

json class_to_json(const class_answer& part, const limits& limits) {
  const auto& shared = part.shared;
  return {{"class", to_string(part.kind)},
          {"decides", part.decides},
          {"verdict", to_string(part.code)},
          {"exit_code", static_cast<int>(part.code)},
          {"threshold", limits.threshold_for(part.kind)},
          {"reasons", messages_of(part.reasons, limits)},
          {"of_baseline", part.benchmarks},
          {"compared", part.compared},
          {"tested", part.tested},
          {"able", part.able},
          {"bound", number(part.bound)},
          {"bound_of_not_known", number(part.bound_of_not_known)},
          {"few_repetitions", part.few_repetitions},
          {"compared_by_mean", part.compared_by_mean},
          {"tested_by_mean", part.tested_by_mean},
          {"mean_threshold", part.mean_threshold},
          {"bound_by_mean", number(part.bound_by_mean)},
          {"seen_slower_and_cleared", part.cleared},
          {"slowdown", shared ? number(slowdown(shared->shift)) : json(nullptr)},
          {"explained", shared ? number(slowdown(shared->explained)) : json(nullptr)},
          {"changed", part.changed()},
          {"slower_as_a_whole", part.slower_as_a_whole()}};
}

json word_of(sighting state) {
  switch (state) {
    case sighting::open: return "not_measured_again";
    case sighting::cleared: return "not_again";
    case sighting::unsure: return "again_unsure";
    case sighting::again: return "again";
    case sighting::none: break;
  }
  return nullptr;
}

json mean_to_json(const finding& benchmark) {
  if (!benchmark.by_mean) return nullptr;
  const auto& judgement = *benchmark.by_mean;
  return {{"threshold", benchmark.mean_threshold},
          {"slowdown", slowdown_of(judgement.shift)},
          {"at_most_95", slowdown_of(judgement.at_most)},
          {"seen_slower", word_of(judgement.sighting)},
          {"p", number(judgement.p)}};
}

json fastest_to_json(const finding& benchmark) {
  if (!benchmark.by_fastest) return nullptr;
  const auto& judgement = *benchmark.by_fastest;
  return {{"slowdown", slowdown_of(judgement.shift)},
          {"at_most_95", slowdown_of(judgement.at_most)},
          {"p", number(judgement.p)}};
}

json word_of(figure decided_by) {
  switch (decided_by) {
    case figure::mean: return "mean";
    case figure::fastest: return "fastest";
    case figure::own: break;
  }
  return "own";
}

json finding_to_json(const finding& benchmark) {
  json entry{{"name", benchmark.name},
             {"verdict", to_string(benchmark.result)},
             {"before", number(benchmark.before)},
             {"after", number(benchmark.after)},
             {"note", benchmark.note ? to_json(message_of(*benchmark.note)) : json(nullptr)}};
  if (benchmark.result == verdict::missing) entry["allowed"] = benchmark.excused;
  if (!benchmark.judgement) return entry;
  const auto& judgement = *benchmark.judgement;
  entry.update({{"class", to_string(benchmark.kind)},
                {"threshold", benchmark.threshold},
                {"slowdown", slowdown_of(judgement.shift)},
                {"at_least", slowdown_of(judgement.at_least)},
                {"at_most_95", slowdown_of(judgement.at_most)},
                {"seen_slower", word_of(judgement.sighting)},
                {"decided_by", word_of(benchmark.decided_by)},
                {"by_mean", mean_to_json(benchmark)},
                {"by_fastest", fastest_to_json(benchmark)},
                {"interval_95", interval(interval_of(judgement, 0.95))},
                {"slowdown_of_runs", list_of(benchmark.shifts, slowdown_of)},
                {"p", number(judgement.p)},
                {"standard_error", number(judgement.standard_error)},
                {"degrees_of_freedom", number(judgement.degrees)},
                {"process_deviation", number(judgement.process_deviation)},
                {"session_deviation", number(judgement.session_deviation)},
                {"detectable_80", slowdown_of(judgement.detectable)},
                {"detectable_95", slowdown_of(judgement.detectable_surely)},
                {"resolution", slowdown_of(judgement.resolution)},
                {"advisory", benchmark.advisory}});
  return entry;
}

}  // namespace

std::string json_of(const report& answer) {
  const auto& limits = answer.question.limits;
  const json document{
      {"format", check_format},
      {"kind", check_kind},
      {"verdict", to_string(answer.code)},
      {"exit_code", static_cast<int>(answer.code)},
      {"sentence", verdict_sentence(answer)},
      {"reasons", messages_of(answer.reasons, limits)},
      {"notes",
       list_of(answer.notes, [](const auto& entry) { return to_json(message_of(entry)); })},
      {"more_runs_may_tell", more_runs_may_tell(answer)},
      {"device", or_null(answer.device)},
      {"on_host", answer.on_host},
      {"has_fingerprint", answer.has_fingerprint},
      {"judged_by", answer.judged_by.key},
      {"of_repetitions", answer.judged_by.fastest_repetition ? "fastest" : "median"},
      {"threshold", limits.threshold},
      {"latency_threshold", limits.latency_threshold},
      {"false_alarm", limits.false_alarm},
      {"looks", limits.looks},
      {"has_means", answer.has_means},
      {"runs", {{"before", answer.processes_before}, {"after", answer.processes_after}}},
      {"sessions", {{"before", answer.sessions_before}, {"after", answer.sessions_after}}},
      {"counts", counts_of(answer)},
      {"changed", list_of(answer.changed, change_to_json)},
      {"classes",
       list_of(answer.classes, [&](const auto& part) { return class_to_json(part, limits); })},
      {"benchmarks", list_of(answer.findings, finding_to_json)}};
  return common::text_of(document);
}

}  // namespace bench_transfers::gate
