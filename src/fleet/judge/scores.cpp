#include "src/fleet/judge/scores.hpp"

#include <algorithm>
#include <cmath>

#include "src/statistics/quantile.hpp"

namespace bench_transfers::fleet {
namespace {

/// Logarithms of one benchmark's times.
std::optional<score> costs_of(const benchmark_times& runs) {
  constexpr double lower_quartile = 0.25;
  if (runs.empty()) return std::nullopt;
  std::vector<double> all;
  double worst = 0;
  for (const auto& run : runs) {
    all.insert(all.end(), run.begin(), run.end());
    worst = std::max(worst, statistics::median(run));
  }
  std::ranges::sort(all);
  return score{std::log(statistics::quantile(all, 0.5)),
               std::log(statistics::quantile(all, lower_quartile)), std::log(all.front()),
               std::log(worst), 0};
}

double median_of(const std::vector<std::optional<score>>& costs, double score::*member) {
  std::vector<double> values;
  for (const auto& cost : costs)
    if (cost) values.push_back((*cost).*member);
  return statistics::median(std::move(values));
}

/// The distances from the GPUs' median in one benchmark, which some of them have measured.
std::vector<std::optional<score>> distances_of(const sweep& sweep, std::size_t benchmark,
                                               const std::vector<std::size_t>& gpus) {
  std::vector<std::optional<score>> costs;
  costs.reserve(gpus.size());
  for (const auto gpu : gpus) costs.push_back(costs_of(sweep.gpus[gpu].times[benchmark]));
  for (const auto member : compared_members) {
    const auto centre = median_of(costs, member);
    for (auto& cost : costs)
      if (cost) (*cost).*member -= centre;
  }
  return costs;
}

/// The standard error of the median of normal values, by their median distance from it; 0 of fewer
/// than three.
double error_of_median(const std::vector<double>& values) {
  if (values.size() < 3) return 0;
  constexpr double deviations_in_distance = 1.4826;
  const auto centre = statistics::median(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const auto value : values) distances.push_back(std::abs(value - centre));
  return of_median * deviations_in_distance * statistics::median(std::move(distances)) /
         std::sqrt(static_cast<double>(values.size()));
}

}  // namespace

std::optional<double> usual_cost(const benchmark_times& runs) {
  if (runs.empty()) return std::nullopt;
  std::vector<double> all;
  for (const auto& run : runs) all.insert(all.end(), run.begin(), run.end());
  return std::log(statistics::median(std::move(all)));
}

std::set<aspect> aspects_of(const sweep& sweep) {
  std::set<aspect> aspects;
  for (const auto& benchmark : sweep.benchmarks) aspects.insert(benchmark.aspect);
  return aspects;
}

std::vector<std::size_t> benchmarks_of(const sweep& sweep, const aspect& aspect) {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < sweep.benchmarks.size(); ++i)
    if (sweep.benchmarks[i].aspect == aspect) list.push_back(i);
  return list;
}

std::vector<std::size_t> compared_benchmarks(const sweep& sweep,
                                             const std::vector<std::size_t>& benchmarks,
                                             const std::vector<std::size_t>& gpus) {
  std::vector<std::size_t> compared;
  for (const auto benchmark : benchmarks) {
    const auto measured = std::ranges::count_if(
        gpus, [&](std::size_t gpu) { return !sweep.gpus[gpu].times[benchmark].empty(); });
    if (2 * static_cast<std::size_t>(measured) > gpus.size()) compared.push_back(benchmark);
  }
  return compared;
}

benchmark_distances::benchmark_distances(const fleet::sweep& sweep,
                                         const std::vector<std::size_t>& gpus)
    : sweep_(sweep), gpus_(gpus) {}

const std::vector<std::optional<score>>& benchmark_distances::in(std::size_t benchmark) {
  const auto [entry, is_new] = known_.try_emplace(benchmark);
  if (is_new) entry->second = distances_of(sweep_, benchmark, gpus_);
  return entry->second;
}

std::vector<std::optional<score>> scores_of(benchmark_distances& distances,
                                            const std::vector<std::size_t>& benchmarks) {
  const auto& gpus = distances.gpus();
  const auto compared = compared_benchmarks(distances.sweep(), benchmarks, gpus);
  std::vector<std::vector<score>> by_gpu(gpus.size());
  for (const auto benchmark : compared) {
    const auto& of_gpus = distances.in(benchmark);
    for (std::size_t g = 0; g < of_gpus.size(); ++g)
      if (of_gpus[g]) by_gpu[g].push_back(*of_gpus[g]);
  }
  std::vector<std::optional<score>> scores(gpus.size());
  std::vector<double> values;
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    if (by_gpu[g].empty() || 2 * by_gpu[g].size() < compared.size()) continue;
    scores[g].emplace();
    for (const auto member : compared_members) {
      values.clear();
      for (const auto& distance : by_gpu[g]) values.push_back(distance.*member);
      (*scores[g]).*member = statistics::median(values);
      if (member == &score::usual) scores[g]->error = error_of_median(values);
    }
  }
  return scores;
}

}  // namespace bench_transfers::fleet
