#include "src/fleet/judge/scores.hpp"

#include <algorithm>
#include <cmath>

#include "src/statistics/quantile.hpp"

namespace bench_transfers::fleet {
namespace {

/// Logarithms of one benchmark's times.
std::optional<score> costs_of(const std::vector<double>& times) {
  if (times.empty()) return std::nullopt;
  return score{std::log(statistics::median(times)), std::log(std::ranges::min(times)), 0};
}

double median_of(const std::vector<std::optional<score>>& costs, double score::*member) {
  std::vector<double> values;
  for (const auto& cost : costs)
    if (cost) values.push_back((*cost).*member);
  return statistics::median(std::move(values));
}

/// The distances from the GPUs' median in one benchmark; empty if none of them has measured it.
std::vector<std::optional<score>> distances_of(const sweep& sweep, std::size_t benchmark,
                                               const std::vector<std::size_t>& gpus) {
  std::vector<std::optional<score>> costs;
  costs.reserve(gpus.size());
  for (const auto gpu : gpus) costs.push_back(costs_of(sweep.gpus[gpu].times[benchmark]));
  if (std::ranges::none_of(costs, [](const auto& cost) { return cost.has_value(); })) return {};
  const score centre{median_of(costs, &score::usual), median_of(costs, &score::fastest), 0};
  for (auto& cost : costs)
    if (cost) cost = score{cost->usual - centre.usual, cost->fastest - centre.fastest, 0};
  return costs;
}

/// The standard error of the median of normal values, by their median distance from it; 0 of fewer
/// than three.
double error_of_median(const std::vector<double>& values) {
  if (values.size() < 3) return 0;
  constexpr double deviations_in_distance = 1.4826;
  constexpr double of_median = 1.2533;  // sqrt(pi / 2): the median is less precise than the mean
  const auto centre = statistics::median(values);
  std::vector<double> distances;
  for (const auto value : values) distances.push_back(std::abs(value - centre));
  return of_median * deviations_in_distance * statistics::median(std::move(distances)) /
         std::sqrt(static_cast<double>(values.size()));
}

}  // namespace

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

std::vector<std::optional<score>> scores_of(const sweep& sweep,
                                            const std::vector<std::size_t>& benchmarks,
                                            const std::vector<std::size_t>& gpus) {
  struct distances {
    std::vector<double> usual, fastest;
  };
  std::vector<distances> by_gpu(gpus.size());
  std::size_t measured = 0;
  for (const auto benchmark : benchmarks) {
    const auto costs = distances_of(sweep, benchmark, gpus);
    measured += costs.empty() ? 0 : 1;
    for (std::size_t g = 0; g < costs.size(); ++g) {
      if (!costs[g]) continue;
      by_gpu[g].usual.push_back(costs[g]->usual);
      by_gpu[g].fastest.push_back(costs[g]->fastest);
    }
  }
  std::vector<std::optional<score>> scores(gpus.size());
  for (std::size_t g = 0; g < gpus.size(); ++g)
    if (measured > 0 && 2 * by_gpu[g].usual.size() >= measured)
      scores[g] = score{statistics::median(by_gpu[g].usual), statistics::median(by_gpu[g].fastest),
                        error_of_median(by_gpu[g].usual)};
  return scores;
}

}  // namespace bench_transfers::fleet
