#include "src/advice/to_json.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "src/common/message.hpp"

namespace bench_transfers::advice {
namespace {

using json = nlohmann::ordered_json;
using statistics::estimate;

constexpr int format = 1;

using common::list_of;
using common::or_null;

json to_json(const estimate& shown) {
  return {{"value", shown.value}, {"low", shown.low}, {"high", shown.high}};
}

/// A count is written without a fraction, as long as a double represents it exactly.
json integer(double count) {
  constexpr double exact = 9007199254740992;  // 2^53
  return count <= exact ? json(static_cast<std::uint64_t>(count)) : json(count);
}

json to_json(const origin& source) {
  return {{"file", source.file.string()},
          {"device", or_null(source.device)},
          {"gpu", source.has_gpu},
          {"cpu", or_null(source.cpu)},
          {"started_utc", or_null(source.started)},
          {"git_commit", or_null(source.commit)},
          {"complete", source.complete},
          {"parts", source.parts},
          {"confidential_computing", source.confidential}};
}

json to_json(const measured_terms& terms) {
  return {{"allocation", terms.allocation},
          {"cpu_writes", terms.cpu_writes},
          {"cpu_reads", terms.cpu_reads}};
}

json to_json(const std::optional<break_even>& pays) {
  if (!pays) return nullptr;
  switch (pays->when) {
    case break_even::kind::from: return {{"from", integer(pays->count)}};
    case break_even::kind::up_to: return {{"up_to", integer(pays->count)}};
    case break_even::kind::never: return "never";
  }
  return nullptr;
}

json to_json(const statistics::broken_line& line) {
  const auto bandwidth = line.bandwidth();
  const auto half = line.half_bandwidth_bytes();
  return {{"lines", line.lines()},
          {"t0_ns", to_json(line.t0())},
          {"bandwidth_gb_per_s", bandwidth ? to_json(*bandwidth) : json(nullptr)},
          {"half_bandwidth_bytes", half ? json(*half) : json(nullptr)}};
}

json to_json(const ignored_rows& ignored) {
  return {{"failed", ignored.failed}, {"unusable", ignored.unusable}};
}

json head(const char* kind, const measurements& measured, const cost_model& model) {
  auto ignored = measured.ignored_transfers;
  return {{"format", format},
          {"kind", kind},
          {"from", to_json(measured.from)},
          {"measured_terms", to_json(model.measured())},
          {"ignored_rows", to_json(ignored += measured.ignored_others)}};
}

/// One value per size and reuse.
template <class Value>
json table(const winner_map& map, Value&& value) {
  return list_of(map.cells, [&](const auto& row) { return list_of(row, value); });
}

json to_json(const winner_map& map) {
  return {{"cpu_writes", map.question.cpu_writes},
          {"cpu_reads", map.question.cpu_reads},
          {"winner", table(map, [](const map_cell& cell) { return cell.winner; })},
          {"total_ns", table(map, [](const map_cell& cell) { return cell.total_ns; })},
          {"as_good", table(map, [](const map_cell& cell) { return cell.as_good; })},
          {"runner_up", table(map, [](const map_cell& cell) { return or_null(cell.runner_up); })},
          {"margin", table(map, [](const map_cell& cell) { return or_null(cell.margin); })},
          {"gain", table(map, [](const map_cell& cell) { return or_null(cell.gain); })},
          {"extrapolated", table(map, [](const map_cell& cell) { return cell.extrapolated; })}};
}

json model_of(const cost_model& model, const ranked_strategy& strategy, const question& question) {
  const auto* const line = model.transfer_line(strategy.name, question.direction);
  return line == nullptr ? json(nullptr) : to_json(*line);
}

/// The question and its answer.
json answer_of(const cost_model& model, const question& question, const ranking& ranked) {
  json answer;
  answer["question"] = {
      {"bytes", integer(question.bytes)}, {"direction", result_file::to_string(question.direction)},
      {"reuse", integer(question.reuse)}, {"cpu_writes", question.cpu_writes},
      {"cpu_reads", question.cpu_reads},  {"cache", result_file::to_string(question.lines)}};
  const auto is_ranked = !ranked.strategies.empty();
  using choice = std::vector<const ranked_strategy*>;
  const auto tied = is_ranked ? statistically_tied(ranked) : choice();
  const auto good = is_ranked ? as_good(ranked) : choice();
  const auto is_in = [](const choice& chosen, const ranked_strategy& strategy) {
    return std::ranges::find(chosen, &strategy) != chosen.end();
  };
  const auto uncertainty = is_ranked ? reason_not_to_recommend(ranked) : std::nullopt;
  answer["recommended"] =
      is_ranked && !uncertainty ? json(recommended(ranked).name) : json(nullptr);
  answer["cannot_tell"] = nullptr;
  if (uncertainty)
    answer["cannot_tell"] = {{"uncertainty_percent", 100 * *uncertainty},
                             {"measure_sizes", sizes_to_measure(question)}};
  answer["strategies"] = list_of(ranked.strategies, [&](const auto& strategy) -> json {
    return {{"name", strategy.name},
            {"total_ns", to_json(strategy.total)},
            {"allocation_ns", to_json(strategy.allocation)},
            {"fill_ns", to_json(strategy.fill)},
            {"transfer_ns", to_json(strategy.transfer)},
            {"read_back_ns", to_json(strategy.read_back)},
            {"behind_ns", to_json(strategy.behind)},
            {"pays", to_json(strategy.pays)},
            {"as_good_as_best", is_in(tied, strategy)},
            {"as_good", is_in(good, strategy)},
            {"gain_confirmed", or_null(strategy.gain_confirmed)},
            {"extrapolated", strategy.extrapolated},
            {"model", model_of(model, strategy, question)}};
  });
  answer["left_out"] = list_of(ranked.left_out, [](const auto& strategy) -> json {
    return {{"name", strategy.name}, {"code", strategy.code}, {"reason", strategy.reason}};
  });
  return answer;
}

json to_json(const unranked_job& unranked) {
  return {{"job", or_null(unranked.job->job)},
          {"direction", result_file::to_string(unranked.job->direction)},
          {"code", unranked.code},
          {"reason", unranked.reason},
          {"sizes", list_of(unranked.job->sizes, integer)}};
}

}  // namespace

json ranking_document(const measurements& measured, const cost_model& model,
                      const ranked_question& answer) {
  auto document = head("ranking", measured, model);
  document.update(answer_of(model, answer.asked, answer.ranked));
  return document;
}

json rankings_document(const measurements& measured, const cost_model& model,
                       std::span<const ranked_question> answers) {
  auto document = head("rankings", measured, model);
  document["answers"] = list_of(answers, [&](const ranked_question& answer) {
    return answer_of(model, answer.asked, answer.ranked);
  });
  return document;
}

json alternatives_document(const role_answers& answers) {
  const auto& first = *answers.ranked.front().job;
  auto document = head("alternatives", first.measured, answers.ranked.front().model);
  document["ignored_rows"] = to_json(answers.ignored());
  document["role"] = first.role;
  document["answers"] = json::array();
  for (const auto& answer : answers.ranked) {
    const auto& job = *answer.job;
    json entry{{"job", or_null(job.job)},
               {"ranked_by", job.time},
               {"measured_terms", to_json(answer.model.measured())},
               {"without_memory", answer.without_memory}};
    entry.update(answer_of(answer.model, answer.question, answer.ranked));
    const auto prices = job.prices_at(answer.question.bytes);
    for (auto& strategy : entry["strategies"]) {
      const auto paid = prices.find(strategy["name"].get<std::string>());
      strategy["prices"] = paid == prices.end() ? json::object() : json(paid->second);
    }
    document["answers"].push_back(std::move(entry));
  }
  document["left_out"] =
      list_of(answers.left_out, [](const unranked_job& job) { return to_json(job); });
  document.erase("measured_terms");
  return document;
}

json map_document(const measurements& measured, const cost_model& model,
                  std::span<const winner_map> directions) {
  auto document = head("map", measured, model);
  document["sizes"] = list_of(directions.front().sizes, integer);
  document["reuse"] = list_of(directions.front().reuses, integer);
  for (const auto& map : directions)
    document["directions"][result_file::to_string(map.question.direction)] = to_json(map);
  return document;
}

json check_document(const measurements& measured, const cost_model& model,
                    const std::vector<leave_out_check>& checks) {
  auto document = head("check", measured, model);
  const auto size_document = [](const left_out_size& size) -> json {
    return {{"bytes", integer(size.bytes)},
            {"measured_ns", size.measured_ns},
            {"predicted_ns", to_json(size.predicted_ns)}};
  };
  document["checks"] = list_of(checks, [&](const leave_out_check& check) -> json {
    return {{"name", check.name},
            {"model", to_json(check.fitted)},
            {"left_out", list_of(check.sizes, size_document)}};
  });
  return document;
}

}  // namespace bench_transfers::advice
