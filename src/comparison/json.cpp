#include <algorithm>
#include <nlohmann/json.hpp>

#include "src/common/message.hpp"
#include "src/common/text.hpp"
#include "src/comparison/reports.hpp"
#include "src/comparison/words.hpp"
#include "src/gate/judge/answer.hpp"

namespace bench_transfers::comparison {
namespace {

using json = nlohmann::ordered_json;

constexpr int format = 1;

bool is_confidential(const gate::run& run) {
  const gate::fingerprint::value_type is_on("device.confidential_computing", "true");
  return std::ranges::find(run.machine, is_on) != run.machine.end();
}

json side_json(const side& side) {
  const auto name_of = [](const gate::run& run) {
    return common::printable(run.name().filename().string());
  };
  const auto& first = side.runs.front();
  return {{"runs", common::list_of(side.runs, name_of)},
          {"device", common::or_null(first.device)},
          {"on_host", first.on_host},
          {"confidential_computing", is_confidential(first)}};
}

json interval_json(const std::optional<statistics::interval>& ends) {
  if (!ends) return nullptr;
  return json::array({gate::slowdown(ends->low), gate::slowdown(ends->high)});
}

/// Intervals that hold only within the runs have keys of their own.
void add(json& entry, const difference& difference, comparison::basis of) {
  const bool within = of == basis::repetitions;
  entry["slowdown"] = gate::slowdown(difference.shift);
  entry[within ? "within_runs_95" : "interval_95"] = interval_json(difference.interval_95);
  entry[within ? "within_runs_of_all" : "interval_of_all"] = interval_json(difference.interval_all);
  entry["finding"] = to_string(difference.known);
}

json benchmark_json(const compared_benchmark& benchmark, comparison::basis of) {
  json entry{{"name", benchmark.name},
             {"size_bytes", common::or_null(benchmark.size_bytes)},
             {"cache", result_file::to_string(benchmark.cache)},
             {"first_ns", benchmark.first_ns},
             {"second_ns", benchmark.second_ns},
             {"departs_from_group", benchmark.departs}};
  add(entry, benchmark.difference, of);
  return entry;
}

json group_json(const compared_group& group, comparison::basis of) {
  json entry{{"group", group.key.name},
             {"class", to_string(group.limited_by)},
             {"family", group.key.family},
             {"strategy", group.key.strategy},
             {"memory", common::or_null(group.key.memory)},
             {"direction", result_file::to_string(group.key.direction)}};
  add(entry, group.difference, of);
  entry["benchmarks"] = common::list_of(
      group.benchmarks, [&](const auto& benchmark) { return benchmark_json(benchmark, of); });
  return entry;
}

json class_json(const compared_class& shared, comparison::basis of) {
  json entry{{"class", to_string(shared.kind)}, {"benchmarks", shared.benchmarks}};
  add(entry, shared.difference, of);
  entry["changed"] = shared.difference.is_told();
  return entry;
}

}  // namespace

std::string json_of(const side& first, const side& second, const comparison_result& result) {
  json document{{"format", format},
                {"kind", "comparison"},
                {"first", side_json(first)},
                {"second", side_json(second)},
                {"basis", to_string(result.basis)}};
  document["changed"] = common::list_of(result.machines, [](const auto& fact) -> json {
    return {{"key", fact.key}, {"first", fact.before}, {"second", fact.after}};
  });
  document["groups"] = common::list_of(
      result.groups, [&](const auto& group) { return group_json(group, result.basis); });
  document["classes"] = common::list_of(
      result.classes, [&](const auto& shared) { return class_json(shared, result.basis); });
  const auto& out = result.left_out;
  document["left_out"] = {{"only_first", out.only_first},
                          {"only_second", out.only_second},
                          {"failed", out.failed},
                          {"other_bytes", out.other_bytes},
                          {"other_procedure", out.other_procedure},
                          {"too_few_runs", out.too_few},
                          {"few_repetitions", out.few_repetitions}};
  return common::text_of(document);
}

}  // namespace bench_transfers::comparison
