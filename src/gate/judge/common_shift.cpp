#include "src/gate/judge/common_shift.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "src/gate/judge/assumed_deviations.hpp"
#include "src/gate/judge/baseline_sessions.hpp"
#include "src/statistics/distributions.hpp"
#include "src/statistics/quantile.hpp"
#include "src/statistics/square.hpp"
#include "src/statistics/variance_prior.hpp"

namespace bench_transfers::gate {
namespace {

using statistics::square;
using statistics::variance_estimate;

/// An assumption weighs as much as so many sessions.
constexpr double assumed_common_degrees = 8;

/// How far sessions move a class.
struct assumption {
  double deviation = 0;
  double degrees = 0;  ///< of freedom; 0: nothing is assumed
};

assumption assumption_for(benchmark_class kind) {
  return {.deviation = assumed_for(kind).of_class, .degrees = assumed_common_degrees};
}

/// Of the common shift of a new session, from the baseline's sessions and an assumption.
variance_estimate common_error(std::span<const double> common, const assumption& assumed) {
  double squares = assumed.degrees * square(assumed.deviation);
  for (const double of_session : common) squares += square(of_session);
  const auto sessions = static_cast<double>(common.size());
  const double degrees = assumed.degrees + sessions - 1;
  return {squares / degrees * (1 + 1 / sessions), degrees};
}

/// Half the width of the interval that contains the common shift of one more session with a
/// probability of 99 %.
double explained_by(std::span<const double> common) {
  if (common.size() < 3) return 0;  // two sessions say next to nothing
  const auto error = common_error(common, {});
  const statistics::students_t t{error.degrees};
  return t.quantile(0.995) * std::sqrt(error.variance);
}

double median_shift(std::span<const estimate> benchmarks) {
  std::vector<double> shifts;
  for (const auto& benchmark : benchmarks) shifts.push_back(benchmark.shift);
  return statistics::median(std::move(shifts));
}

/// What a quarter of the class exceeds, less what chance puts there.
double slower_quarter(std::span<const estimate> benchmarks) {
  constexpr double normal_quartile = 0.6745;
  std::vector<double> shifts, errors;
  for (const auto& benchmark : benchmarks) {
    shifts.push_back(benchmark.shift);
    errors.push_back(std::sqrt(benchmark.variance_by_processes()));
  }
  std::ranges::sort(shifts);
  return statistics::quantile(shifts, 0.75) -
         normal_quartile * statistics::median(std::move(errors));
}

/// By how much the shift may exceed the truth by chance.
double margin(const variance_estimate& error, double alarm) {
  const statistics::students_t t{error.degrees};
  return t.exceeded_by(alarm) * std::sqrt(error.variance);
}

/// Whether the class is slower as a whole, by the threshold and by more than sessions explain: the
/// baseline's own, and the assumption. Sessions of one machine say nothing of another one. A few
/// machines that are alike do not make another one less likely to be slower.
void judge_slower(common_shift& shared, std::span<const double> common, double threshold,
                  const limits& limits, double false_alarm) {
  const auto assumed = assumption_for(shared.kind);
  const auto by_sessions = common_error(common, assumed);
  const auto by_assumption = common_error(std::array{0.0}, assumed);
  const auto& known =
      limits.other_machine && !limits.sessions_are_machines ? by_assumption : by_sessions;
  const auto& cautious = limits.other_machine ? by_assumption : by_sessions;
  // Where a class only vetoes, a quarter of it is enough.
  const double shift = limits.vetoing.contains(shared.kind)
                           ? std::max(shared.shift, shared.shift_of_slower_quarter)
                           : shared.shift;
  constexpr double unsure = 0.05;
  shared.at_least = shift - margin(known, false_alarm);
  shared.slower = shared.at_least > threshold;
  shared.may_be_slower = !shared.slower && shift - margin(cautious, unsure) > threshold;
}

/// Of host and latency, only the baseline's own sessions tell.
bool is_bounded_by_assumption(benchmark_class kind) {
  return kind == benchmark_class::link || kind == benchmark_class::other;
}

}  // namespace

common_shift common_shift_of(const class_estimates& estimates, std::span<const double> common,
                             const limits& limits, double false_alarm) {
  const auto& benchmarks = estimates.benchmarks;
  const double threshold = benchmarks.front().threshold;
  common_shift shared{.kind = estimates.kind, .benchmarks = benchmarks.size()};
  shared.shift = median_shift(benchmarks);
  shared.shift_of_slower_quarter = slower_quarter(benchmarks);
  shared.explained = explained_by(common);
  shared.changed = std::abs(shared.shift) > threshold;
  judge_slower(shared, common, threshold, limits, false_alarm);
  return shared;
}

double common_bound_of(benchmark_class kind, std::span<const double> common) {
  if (common.empty()) return 0;
  const bool is_assumed = is_bounded_by_assumption(kind);
  if (common.size() < 2 && !is_assumed) return std::numeric_limits<double>::infinity();
  const auto error = common_error(common, is_assumed ? assumption_for(kind) : assumption{});
  return statistics::students_t{error.degrees}.quantile(0.95) * std::sqrt(error.variance);
}

double common_bound_of(std::span<const observation> observations) {
  return common_bound_of(observations.front().kind, common_of_sessions(observations));
}

}  // namespace bench_transfers::gate
