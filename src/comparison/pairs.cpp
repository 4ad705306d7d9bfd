#include "src/comparison/pairs.hpp"

#include <optional>
#include <set>
#include <utility>

#include "src/gate/model/baseline.hpp"
#include "src/statistics/location.hpp"

namespace bench_transfers::comparison {
namespace {

/// `known`: as the other side measured it.
measured_side measured(const side& side, const std::string& name,
                       std::optional<gate::work> known = {}) {
  const auto& judged_by = side.judged_by;
  measured_side result;
  std::vector<double> costs;
  for (const auto& run : side.runs) {
    result.history.figures.emplace_back();
    const auto benchmark = run.benchmarks.find(name);
    if (benchmark == run.benchmarks.end()) continue;
    const auto& values = benchmark->second;
    if (values.failed > 0) result.failed = true;
    if (gate::has_too_few_repetitions(values)) result.has_few_repetitions = true;
    if (values.bytes) result.history.bytes = values.bytes;
    result.history.limited_by = values.limited_by;
    result.history.figures.back() = gate::figure_of(values, judged_by);
    if (result.history.figures.back()) {
      costs.push_back(gate::cost(*result.history.figures.back(), judged_by));
      if (!known) known = values.work;
      if (gate::is_other_procedure(*known, values.work)) result.has_other_procedure = true;
      result.history.work = values.work;
    }
    for (const auto value : values.values)
      result.repetitions.push_back(gate::cost(value, judged_by));
  }
  result.runs = costs.size();
  if (!costs.empty()) result.centre = statistics::location(std::move(costs));
  return result;
}

std::set<std::string> names_in(const side& side) {
  std::set<std::string> names;
  for (const auto& run : side.runs)
    for (const auto& [name, values] : run.benchmarks) names.insert(name);
  return names;
}

/// The list of those that are left out to which a pair belongs; null: it can be compared.
std::vector<std::string> left_out::*why_left_out(const pair_of_sides& pair) {
  const auto& [name, first, second] = pair;
  if (first.failed || second.failed) return &left_out::failed;
  if (first.has_few_repetitions || second.has_few_repetitions) return &left_out::few_repetitions;
  if (second.runs == 0) return &left_out::only_first;
  if (first.runs == 0) return &left_out::only_second;
  if (first.has_other_procedure || second.has_other_procedure) return &left_out::other_procedure;
  if (first.history.bytes != second.history.bytes) return &left_out::other_bytes;
  return nullptr;
}

}  // namespace

paired pairs_of(const side& first, const side& second) {
  auto names = names_in(first);
  names.merge(names_in(second));
  paired result;
  for (const auto& name : names) {
    pair_of_sides pair{name, measured(first, name), {}};
    pair.second = measured(
        second, name, pair.first.runs > 0 ? std::optional(pair.first.history.work) : std::nullopt);
    if (const auto reason = why_left_out(pair))
      (result.left_out.*reason).push_back(name);
    else
      result.pairs.push_back(std::move(pair));
  }
  return result;
}

}  // namespace bench_transfers::comparison
