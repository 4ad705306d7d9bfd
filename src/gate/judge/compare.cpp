#include "src/gate/judge/compare.hpp"

#include <cmath>
#include <map>

#include "src/gate/judge/class_judge.hpp"
#include "src/gate/judge/estimate.hpp"
#include "src/gate/judge/sensitivity.hpp"
#include "src/statistics/distributions.hpp"

namespace bench_transfers::gate {
namespace {

/// The observations of one class, and where they are among all.
struct class_members {
  std::vector<observation> observations;
  std::vector<std::size_t> places;
};

std::map<benchmark_class, class_members> by_class(std::span<const observation> observations) {
  std::map<benchmark_class, class_members> classes;
  for (std::size_t i = 0; i < observations.size(); ++i) {
    auto& members = classes[observations[i].kind];
    members.observations.push_back(observations[i]);
    members.places.push_back(i);
  }
  return classes;
}

/// Of each number of new processes.
std::vector<std::vector<benchmark_judgement>> without_new_runs(
    std::span<const observation> observations, std::span<const std::size_t> new_processes,
    const limits& limits,
    benchmark_judgement (&judgement_of)(const estimate&, const look_at_benchmark&)) {
  const auto classes = by_class(observations);
  std::vector<std::vector<benchmark_judgement>> judgements(
      new_processes.size(), std::vector<benchmark_judgement>(observations.size()));
  for (const auto& [kind, members] : classes) {
    auto estimates = estimates_for(members.observations, 1, limits).benchmarks;
    const double first_p = limits.false_alarm / static_cast<double>(classes.size() * limits.looks *
                                                                    members.places.size());
    for (std::size_t n = 0; n < new_processes.size(); ++n)
      for (std::size_t i = 0; i < members.places.size(); ++i) {
        estimates[i].expect(new_processes[n]);
        judgements[n][members.places[i]] = judgement_of(estimates[i], {new_processes[n], first_p});
      }
  }
  return judgements;
}

}  // namespace

std::vector<double> joined(const costs& sessions) {
  std::vector<double> processes;
  for (const auto& session : sessions)
    processes.insert(processes.end(), session.begin(), session.end());
  return processes;
}

std::optional<statistics::interval> interval_of(const benchmark_judgement& judgement,
                                                double confidence) {
  const bool is_known = std::isfinite(judgement.standard_error) && judgement.standard_error > 0 &&
                        std::isfinite(judgement.degrees) && judgement.degrees > 0;
  if (!is_known) return std::nullopt;
  const statistics::students_t t{judgement.degrees};
  const double half = t.quantile((1 + confidence) / 2) * judgement.standard_error;
  return statistics::interval{judgement.shift - half, judgement.shift + half};
}

bool is_advisory(const benchmark_judgement& judgement, double threshold) {
  return judgement.resolution > std::log1p(threshold);
}

bool is_blind(const benchmark_judgement& judgement, double threshold) {
  return judgement.resolution > std::log1p(3 * threshold);
}

limits limits_of_means(limits of_medians) {
  constexpr double wider = 2.5;
  of_medians.threshold *= wider;
  of_medians.latency_threshold *= wider;
  of_medians.may_vary_more = true;
  return of_medians;
}

comparison compare(std::span<const observation> observations, const limits& limits) {
  const auto classes = by_class(observations);
  comparison result;
  result.benchmarks.resize(observations.size());
  for (const auto& [kind, members] : classes) {
    const auto estimates = estimates_of(members.observations, limits, classes.size());
    const class_judge judge(estimates, limits, classes.size() * limits.looks);
    for (std::size_t i = 0; i < members.places.size(); ++i)
      result.benchmarks[members.places[i]] = judge.judgement(i);
    if (estimates.shared) result.classes.push_back(*estimates.shared);
  }
  return result;
}

std::vector<benchmark_judgement> detectable(std::span<const observation> observations,
                                            std::size_t new_processes, const limits& limits) {
  return without_new_runs(observations, std::span(&new_processes, 1), limits,
                          judgement_without_verdict)
      .front();
}

std::vector<std::vector<benchmark_judgement>> expected_bounds(
    std::span<const observation> observations, std::span<const std::size_t> new_processes,
    const limits& limits) {
  return without_new_runs(observations, new_processes, limits, bounds_of);
}

std::vector<benchmark_judgement> expected_bounds(std::span<const observation> observations,
                                                 std::size_t new_processes, const limits& limits) {
  return expected_bounds(observations, std::span(&new_processes, 1), limits).front();
}

}  // namespace bench_transfers::gate
