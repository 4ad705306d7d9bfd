#include "src/gate/judge/process_variance.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>

#include "src/statistics/clipped_variance.hpp"
#include "src/statistics/location.hpp"
#include "src/statistics/square.hpp"

namespace bench_transfers::gate {
namespace {

using statistics::square;
using statistics::variance_estimate;

/// Where sessions have few processes, the two cannot be told apart well. All processes together
/// then say more, and never too little, than the few that share a session.
costs groups_of(const costs& by_session) {
  const auto sessions =
      std::ranges::count_if(by_session, [](const auto& processes) { return !processes.empty(); });
  auto all = joined(by_session);
  return all.size() >= 2 * static_cast<std::size_t>(sessions) ? by_session : costs{std::move(all)};
}

variance_estimate own_variance(const observation& observed, variance_told_by told_by) {
  auto groups = groups_of(observed.before);
  if (told_by == variance_told_by::baseline) return statistics::clipped_variance(groups);
  for (auto& group : groups_of(observed.after)) groups.push_back(std::move(group));
  return statistics::unclipped_variance(groups);
}

/// Benchmarks whose variances resemble each other once they are divided by `unit` squared.
struct resemblance {
  bool of_times = false;
  double unit = 1;
};

resemblance resemblance_of(const observation& observed, variance_told_by told_by) {
  if (told_by == variance_told_by::baseline || observed.kind != benchmark_class::latency) return {};
  // What is shorter calls no driver.
  constexpr double shortest_call_ns = 1000;
  const double ns = std::exp(statistics::location(joined(observed.before)));
  return ns < shortest_call_ns ? resemblance{} : resemblance{true, 1 / ns};
}

}  // namespace

std::vector<variance_estimate> process_variances(std::span<const observation> observations,
                                                 variance_told_by told_by) {
  std::vector<variance_estimate> variances;
  std::vector<resemblance> alike;
  std::map<bool, std::vector<variance_estimate>> groups;
  for (const auto& observed : observations) {
    auto variance = own_variance(observed, told_by);
    variance.variance =
        std::max({variance.variance, square(observed.least_deviation), square(1e-4)});
    alike.push_back(resemblance_of(observed, told_by));
    variance.variance /= square(alike.back().unit);
    groups[alike.back().of_times].push_back(variance);
    variances.push_back(variance);
  }
  std::map<bool, statistics::variance_prior> priors;
  for (const auto& [of_times, of] : groups) priors.emplace(of_times, of);
  for (std::size_t i = 0; i < variances.size(); ++i) {
    variances[i] = priors.at(alike[i].of_times).moderated(variances[i]);
    variances[i].variance *= square(alike[i].unit);
  }
  return variances;
}

}  // namespace bench_transfers::gate
