#include "src/fleet/judge/baseline.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "src/fleet/judge/scores.hpp"
#include "src/fleet/judge/spread.hpp"
#include "src/statistics/distributions.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::fleet {
namespace {

/// Of a GPU, to show how much its runs differ.
constexpr std::size_t fewest_runs = 3;
/// GPUs that differ from the baseline show the same, if they are as many.
constexpr std::size_t fewest_gpus = 5;
/// How many times as much as GPUs of one sweep do runs of one GPU differ, until that is known? One
/// process of a GPU may be slower by 5 % than the next (docs/FLEET.md); the gate assumes the
/// same of sessions.
constexpr double caution = 5;
/// The fleet, its slots, racks and nodes.
constexpr std::size_t wider_scopes = 4;

}  // namespace

baseline::baseline(std::span<const sweep> sweeps, const std::set<std::string>& left_out)
    : sweeps_(sweeps) {
  for (std::size_t s = 0; s < sweeps.size(); ++s) {
    auto& names = benchmarks_.emplace_back();
    for (std::size_t i = 0; i < sweeps[s].benchmarks.size(); ++i)
      if (const auto& name = sweeps[s].benchmarks[i].name; !left_out.contains(name))
        names[name].push_back(i);
    for (std::size_t g = 0; g < sweeps[s].gpus.size(); ++g) {
      by_uuid_[sweeps[s].gpus[g].uuid].push_back({s, g});
      by_model_[sweeps[s].gpus[g].model].push_back({s, g});
    }
  }
}

std::optional<double> baseline::median_cost(const std::vector<place>& places,
                                            const std::string& benchmark) const {
  std::vector<double> costs;
  for (const auto& at : places) {
    const auto known = benchmarks_[at.sweep].find(benchmark);
    if (known == benchmarks_[at.sweep].end()) continue;
    for (const auto index : known->second)
      if (const auto cost = usual_cost(sweeps_[at.sweep].gpus[at.gpu].times[index]))
        costs.push_back(*cost);
  }
  return costs.empty() ? std::nullopt : std::optional(statistics::median(std::move(costs)));
}

std::vector<baseline::difference> baseline::differences(const sweep& now,
                                                        const std::vector<std::size_t>& benchmarks,
                                                        const std::vector<place>& places) const {
  // By place and run, of each benchmark.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> distances;
  for (const auto benchmark : benchmarks) {
    const auto& name = now.benchmarks[benchmark].name;
    const auto usual = median_cost(places, name);
    if (!usual) continue;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto known = benchmarks_[places[i].sweep].find(name);
      if (known == benchmarks_[places[i].sweep].end()) continue;
      for (const auto index : known->second) {
        const auto& runs = sweeps_[places[i].sweep].gpus[places[i].gpu].times[index];
        for (std::size_t run = 0; run < runs.size(); ++run)
          if (const auto cost = usual_cost({runs[run]}))
            distances[{i, run}].push_back(*cost - *usual);
      }
    }
  }
  std::vector<difference> result;
  for (auto& [run, list] : distances)
    result.push_back({places[run.first].sweep, statistics::median(std::move(list))});
  return result.size() < 2 ? std::vector<difference>() : result;
}

shifts baseline::shifts_of(const sweep& now, const std::vector<std::size_t>& benchmarks,
                           const peers& alike) const {
  shifts result{std::vector<std::optional<double>>(alike.gpus.size()),
                std::vector<bool>(alike.gpus.size(), false),
                {},
                {}};
  std::map<std::size_t, std::vector<double>> by_sweep;
  std::map<std::size_t, std::optional<double>> of_model;
  const auto model = by_model_.find(alike.model);
  if (model != by_model_.end())
    for (const auto benchmark : benchmarks)
      of_model[benchmark] = median_cost(model->second, now.benchmarks[benchmark].name);
  std::vector<double> distances;
  for (std::size_t i = 0; i < alike.gpus.size(); ++i) {
    const auto& gpu = now.gpus[alike.gpus[i]];
    const auto itself = by_uuid_.find(gpu.uuid);
    result.by_itself[i] = itself != by_uuid_.end();
    distances.clear();
    std::size_t measured = 0;
    for (const auto benchmark : benchmarks) {
      const auto cost = usual_cost(gpu.times[benchmark]);
      if (!cost) continue;
      ++measured;
      const auto before = result.by_itself[i]
                              ? median_cost(itself->second, now.benchmarks[benchmark].name)
                              : of_model[benchmark];
      if (before) distances.push_back(*cost - *before);
    }
    if (!distances.empty() && 2 * distances.size() >= measured)
      result.slower[i] = statistics::median(distances);
    if (!result.by_itself[i]) continue;
    const auto between = differences(now, benchmarks, itself->second);
    for (const auto& [sweep, from_median] : between) {
      by_sweep[sweep].push_back(from_median);
      if (between.size() >= fewest_runs) result.between_runs.push_back(from_median);
    }
  }
  for (auto& [sweep, list] : by_sweep)
    result.between_sweeps.push_back(statistics::median(std::move(list)));
  return result;
}

std::vector<const gpu*> baseline::missed(const sweep& now, bool is_node_there) const {
  std::set<std::string> nodes, uuids;
  for (const auto& gpu : now.gpus) {
    nodes.insert(gpu.node);
    uuids.insert(gpu.uuid);
  }
  std::vector<const gpu*> list;
  if (sweeps_.empty()) return list;
  for (const auto& gpu : sweeps_.back().gpus)
    if (nodes.contains(gpu.node) == is_node_there && !uuids.contains(gpu.uuid))
      list.push_back(&gpu);
  return list;
}

std::vector<const gpu*> baseline::lost(const sweep& now) const { return missed(now, true); }

std::set<std::string> baseline::absent_nodes(const sweep& now) const {
  std::set<std::string> nodes;
  for (const auto* gpu : missed(now, false)) nodes.insert(gpu->node);
  return nodes;
}

bool baseline::is_later(const sweep& now) const {
  return now.begin && std::ranges::any_of(sweeps_, [&](const sweep& accepted) {
           return accepted.begin && *accepted.begin > *now.begin;
         });
}

namespace {

/// What sweeps of healthy parts differ by in common: what is expected, and what accepted ones did.
spread spread_between(const std::vector<double>& sweeps, double expected) {
  std::vector<double> both_ways{0};
  for (const auto difference : sweeps) both_ways.insert(both_ways.end(), {difference, -difference});
  return spread_of(both_ways, expected);
}

/// How the median of so many parts differs between sweeps.
spread spread_of_median(const spread& between_sweeps, const spread& parts, std::size_t count) {
  return {std::hypot(between_sweeps.deviation,
                     of_median * parts.deviation / std::sqrt(static_cast<double>(count))),
          between_sweeps.degrees};
}

}  // namespace

slower_than_baseline compare(const peers& alike, const shifts& shifts, const criteria& criteria,
                             const std::set<std::size_t>& known) {
  slower_than_baseline result;
  std::vector<double> measured;
  for (const auto& slower : shifts.slower)
    if (slower) measured.push_back(*slower);
  if (measured.empty()) return result;
  // Of an even number the largest does not count: one slow GPU of two is not half of the noise.
  auto compared = measured;
  std::ranges::sort(compared);
  if (compared.size() % 2 == 0) compared.pop_back();
  const bool is_few = measured.size() < fewest_gpus;
  const bool is_known = !is_few || !shifts.between_runs.empty();
  const auto deviation = criteria.expected * (is_known ? 1 : caution);
  // As faster ones, which count as chance, whichever they were.
  for (const auto difference : shifts.between_runs) compared.push_back(-std::abs(difference));
  const auto healthy = spread_of(compared, deviation);
  const auto between_sweeps = spread_between(shifts.between_sweeps, deviation);
  std::map<scope, std::size_t> parts;
  for (const auto& part : parts_of(alike)) ++parts[part.scope];
  const auto spread_at = [&](const part_of_peers& part) {
    return part.scope == scope::gpu || is_few
               ? healthy
               : spread_of_median(between_sweeps, healthy, part.gpus.size());
  };
  const auto p_of = [&](const part_of_peers& part, double slower) -> std::optional<double> {
    if (slower <= criteria.threshold) return std::nullopt;
    // Bonferroni: parts are taken one after the other. GPUs have one share, the others together;
    // but no wider part needs more evidence than a GPU.
    const auto tests = part.scope == scope::gpu
                           ? measured.size()
                           : std::min(measured.size(), wider_scopes * parts.at(part.scope));
    const auto p = std::min(1.0, spread_at(part).p(slower) * static_cast<double>(tests));
    return p <= criteria.false_alarm ? std::optional(p) : std::nullopt;
  };
  result.slow = attributed(alike, shifts.slower, p_of, {.known = known});
  const statistics::students_t student{healthy.degrees};
  const auto border =
      std::max(criteria.threshold,
               healthy.exceeded_by(criteria.false_alarm / static_cast<double>(measured.size())));
  result.tested.push_back(
      {scope::gpu, measured.size(), border + healthy.deviation * student.quantile(0.8)});
  constexpr double of_95_percent = 0.025;
  result.half_interval = healthy.exceeded_by(of_95_percent);
  return result;
}

}  // namespace bench_transfers::fleet
