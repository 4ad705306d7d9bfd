#include "src/gate/judge/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "src/gate/judge/assumed_deviations.hpp"
#include "src/gate/judge/common_shift.hpp"
#include "src/gate/judge/process_variance.hpp"
#include "src/gate/model/baseline.hpp"
#include "src/statistics/clipped_variance.hpp"
#include "src/statistics/location.hpp"
#include "src/statistics/square.hpp"

namespace bench_transfers::gate {
namespace {

using statistics::square;

/// The session variance's part of the variance of the centre of all processes.
double session_part_of(const costs& sessions, std::size_t processes) {
  double part = 0;
  for (const auto& session : sessions)
    part += square(static_cast<double>(session.size()) / static_cast<double>(processes));
  return part;
}

/// Without estimates of variances.
estimate centres_and_shift(const observation& observed, new_session newest, const limits& limits) {
  const bool is_measured = newest == new_session::measured;
  estimate result;
  result.before = joined(observed.before);
  result.after = joined(observed.after);
  if (result.before.size() < least_processes || (is_measured && result.after.empty()))
    throw std::invalid_argument("a benchmark needs three processes before and one after");
  std::ranges::sort(result.before);
  std::ranges::sort(result.after);
  result.looks = observed.looks.empty() ? costs{result.after} : observed.looks;
  result.sessions = static_cast<std::size_t>(
      std::ranges::count_if(observed.before, [](const auto& session) { return !session.empty(); }));
  result.centre = statistics::location(result.before);
  if (!result.after.empty()) result.shift = statistics::location(result.after) - result.centre;
  if (is_measured) result.expect(result.after.size());
  constexpr double part_of_one_session = 1;
  result.session_part =
      session_part_of(observed.before, result.before.size()) +
      (is_measured ? session_part_of(observed.after, result.after.size()) : part_of_one_session);
  result.threshold = std::log1p(limits.threshold_for(observed.kind));
  return result;
}

/// Not clipped: it is the outliers that move the centre of few processes.
statistics::variance_estimate excess_of(const estimate& benchmark) {
  const auto own = statistics::unclipped_variance(std::span(&benchmark.after, 1));
  const double excess = std::max(0.0, own.variance - benchmark.process_variance);
  return {excess * statistics::location_variance(benchmark.after.size()),
          std::max(1.0, own.degrees)};
}

void add_process_variances(std::vector<estimate>& benchmarks,
                           std::span<const observation> observations, const limits& limits) {
  const auto variances = process_variances(observations, limits.told_by);
  for (std::size_t i = 0; i < benchmarks.size(); ++i) {
    benchmarks[i].process_variance = variances[i].variance;
    benchmarks[i].process_degrees = variances[i].degrees;
  }
}

/// All of a class but the common shift and the session variances.
class_estimates estimates_by_processes(std::span<const observation> observations,
                                       new_session newest, const limits& limits) {
  class_estimates result;
  result.kind = observations.front().kind;
  for (const auto& observed : observations)
    result.benchmarks.push_back(centres_and_shift(observed, newest, limits));
  add_process_variances(result.benchmarks, observations, limits);
  if (limits.may_vary_more && newest == new_session::measured)
    for (auto& benchmark : result.benchmarks) benchmark.excess = excess_of(benchmark);
  return result;
}

void add_common_bound(class_estimates& estimates, std::span<const double> common) {
  const double bound = common_bound_of(estimates.kind, common);
  // What nobody can know is not part of the bound: docs/GATE.md tells.
  for (auto& benchmark : estimates.benchmarks)
    benchmark.common_bound = std::isfinite(bound) ? bound : 0;
}

void add_common_shift(class_estimates& estimates, std::span<const double> common,
                      const limits& limits, double false_alarm) {
  estimates.shared = common_shift_of(estimates, common, limits, false_alarm);
  for (auto& benchmark : estimates.benchmarks) benchmark.common = estimates.shared->shift;
}

/// What a benchmark shows by itself: its shift does only if the common shift is known.
session_evidence session_evidence_of(const estimate& benchmark, const observation& observed,
                                     std::span<const double> common, bool has_common_shift) {
  session_evidence evidence{.process_variance = benchmark.process_variance,
                            .of_baseline = baseline_evidence_of(observed, common)};
  if (has_common_shift)
    evidence.of_new_session = {.shift = benchmark.shift - benchmark.common,
                               .process_part = benchmark.process_part,
                               .session_part = benchmark.session_part};
  return evidence;
}

/// Machines differ in single benchmarks, which a class that only vetoes must allow for.
double least_session_deviation(benchmark_class kind, const limits& limits) {
  const bool is_among_machines = limits.other_machine && limits.vetoing.contains(kind);
  return is_among_machines ? assumed_for(kind).of_benchmark : 0;
}

void add_sessions(class_estimates& estimates, std::span<const observation> observations,
                  std::span<const double> common, new_session newest, const limits& limits) {
  std::vector<session_evidence> suite;
  for (std::size_t i = 0; i < observations.size(); ++i) {
    auto& benchmark = estimates.benchmarks[i];
    const auto evidence =
        session_evidence_of(benchmark, observations[i], common, estimates.shared.has_value());
    if (evidence.of_baseline)
      benchmark.levels = session_levels_of(observations[i], common, *evidence.of_baseline,
                                           std::sqrt(benchmark.process_variance));
    suite.push_back(evidence);
  }
  const auto variances = session_variances(suite, newest);
  const double least = least_session_deviation(estimates.kind, limits);
  for (std::size_t i = 0; i < variances.size(); ++i) {
    auto& session = estimates.benchmarks[i].session;
    session = variances[i];
    session.variance = std::max(session.variance, square(least));
  }
}

}  // namespace

void estimate::expect(std::size_t new_processes) {
  process_part =
      statistics::location_variance(before.size()) + statistics::location_variance(new_processes);
}

double estimate::degrees() const {
  return square(variance_by_processes() + variance_by_sessions()) /
         (square(process_variance * process_part) / process_degrees +
          square(excess.variance) / excess.degrees +
          square(variance_by_sessions()) / session.degrees);
}

class_estimates estimates_of(std::span<const observation> observations, const limits& limits,
                             std::size_t classes) {
  auto result = estimates_by_processes(observations, new_session::measured, limits);
  const auto common = common_of_sessions(observations);
  add_common_bound(result, common);
  if (!common.empty())
    add_common_shift(result, common, limits, limits.false_alarm / static_cast<double>(classes));
  add_sessions(result, observations, common, new_session::measured, limits);
  return result;
}

class_estimates estimates_for(std::span<const observation> observations, std::size_t new_processes,
                              const limits& limits) {
  auto result = estimates_by_processes(observations, new_session::awaited, limits);
  for (auto& benchmark : result.benchmarks) benchmark.expect(new_processes);
  const auto common = common_of_sessions(observations);
  add_common_bound(result, common);
  add_sessions(result, observations, common, new_session::awaited, limits);
  return result;
}

}  // namespace bench_transfers::gate
