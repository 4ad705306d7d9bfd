#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "src/gate/report/reports.hpp"
#include "src/gate/report/wording.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::gate {
namespace {

using json = nlohmann::ordered_json;

json or_null(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }

json or_null(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? json(*value) : json(nullptr);
}

json or_null(const std::optional<statistics::interval>& shifts) {
  const double low = shifts ? slowdown(shifts->low) : 0;
  const double high = shifts ? slowdown(shifts->high) : 0;
  return shifts && std::isfinite(low) && std::isfinite(high) ? json{low, high} : json(nullptr);
}

json counts_of(const report& answer) {
  json counts;
  for (const auto one : worst_first) counts[to_string(one)] = answer.count(one);
  counts["of_baseline"] = answer.of_baseline();
  counts["not_measured"] = not_measured(answer, true);
  counts["not_measured_nor_allowed"] = not_measured(answer, false);
  counts["compared"] = answer.compared();
  counts["advisory"] = answer.advisory();
  return counts;
}

json class_to_json(const common_shift& one) {
  return {{"decided_by", one.latency_bound ? "latency" : "bandwidth"},
          {"benchmarks", one.benchmarks},
          {"slowdown", or_null(slowdown(one.shift))},
          {"explained", or_null(slowdown(one.explained))},
          {"changed", one.changed}};
}

json line_to_json(const line& one) {
  json made{{"name", one.name},
            {"verdict", to_string(one.found)},
            {"before", or_null(one.before)},
            {"after", or_null(one.after)},
            {"note", or_null(one.note)}};
  if (one.found == verdict::missing) made["allowed"] = one.excused;
  if (!one.judgement) return made;
  const auto& found = *one.judgement;
  json of_runs = json::array();
  for (const auto& shift : one.shifts)
    of_runs.push_back(or_null(shift ? std::optional(slowdown(*shift)) : std::nullopt));
  made.update({{"decided_by", one.latency_bound ? "latency" : "bandwidth"},
               {"threshold", one.threshold},
               {"slowdown", or_null(slowdown(found.shift))},
               {"interval_95", or_null(interval_of(found, 0.95))},
               {"slowdown_of_runs", std::move(of_runs)},
               {"p", or_null(found.p)},
               {"standard_error", or_null(found.standard_error)},
               {"degrees_of_freedom", or_null(found.degrees)},
               {"process_deviation", or_null(found.process_deviation)},
               {"session_deviation", or_null(found.session_deviation)},
               {"detectable_80", or_null(slowdown(found.detectable))},
               {"detectable_95", or_null(slowdown(found.detectable_surely))},
               {"resolution", or_null(slowdown(found.resolution))},
               {"advisory", one.advisory}});
  return made;
}

}  // namespace

std::string json_of(const report& answer) {
  json changed = json::array();
  for (const auto& [what, allowed] : answer.changed)
    changed.push_back({{"key", what.key},
                       {"before", or_null(what.before)},
                       {"after", or_null(what.after)},
                       {"allowed", allowed}});
  json classes = json::array();
  for (const auto& one : answer.classes) classes.push_back(class_to_json(one));
  json benchmarks = json::array();
  for (const auto& one : answer.lines) benchmarks.push_back(line_to_json(one));
  const auto& limits = answer.asked.allowed;
  const json all{
      {"format", 1},
      {"kind", "check"},
      {"verdict", verdict_word(answer.code)},
      {"exit_code", static_cast<int>(answer.code)},
      {"sentence", verdict_sentence(answer)},
      {"reasons", answer.reasons},
      {"notes", answer.notes},
      {"more_runs_may_tell", more_runs_may_tell(answer)},
      {"device", or_null(answer.device)},
      {"on_host", answer.on_host},
      {"has_fingerprint", answer.has_fingerprint},
      {"judged_by", answer.judged_by.key},
      {"of_repetitions", answer.judged_by.fastest_repetition ? "fastest" : "median"},
      {"threshold", limits.threshold},
      {"latency_threshold", limits.latency_threshold},
      {"false_alarm", limits.false_alarm},
      {"runs", {{"before", answer.processes_before}, {"after", answer.processes_after}}},
      {"sessions", {{"before", answer.sessions_before}, {"after", answer.sessions_after}}},
      {"counts", counts_of(answer)},
      {"changed", std::move(changed)},
      {"classes", std::move(classes)},
      {"benchmarks", std::move(benchmarks)}};
  return all.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace bench_transfers::gate
