#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "src/gate/model/benchmark_class.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::gate {

/// Costs of one benchmark by session and process: natural logarithms, larger is slower. A session
/// in which the benchmark was not measured is empty.
using costs = std::vector<std::vector<double>>;

/// All processes, session by session.
std::vector<double> joined(const costs& sessions);

/// One benchmark before and after.
struct observation {
  costs before;  ///< three processes or more in all; as many sessions for every benchmark
  costs after;   ///< one process or more in all
  benchmark_class kind = benchmark_class::other;
  double least_deviation = 0;  ///< the resolution of clock and digits, in logarithms
};

/// When a difference counts.
struct limits {
  double threshold = 0.02;          ///< the slowdown that counts, as a part
  double latency_threshold = 0.05;  ///< the same for benchmarks of the class `latency`
  double false_alarm = 0.01;        ///< probability of any alarm in a check where nothing changed
  /// How many checks of a growing set of runs there may be. Together they raise a false alarm with
  /// the probability `false_alarm`.
  std::size_t looks = 1;

  [[nodiscard]] double threshold_for(benchmark_class kind) const {
    return kind == benchmark_class::latency ? latency_threshold : threshold;
  }
};

enum class outcome {
  unchanged,  ///< a slowdown of the threshold would have been found
  not_known,  ///< noise would hide it
  slower,
  faster,
  ambiguous
};

/// How one benchmark is judged, and why. Shifts are differences of logarithms, positive if slower.
struct benchmark_judgement {
  outcome verdict = outcome::not_known;
  double shift = 0;           ///< after against before
  double standard_error = 0;  ///< of the shift beyond the common one, by processes and sessions
  double degrees = 0;         ///< of freedom, of the standard error
  /// That an unchanged benchmark looks as slow as this; adjusted for all comparisons of the check.
  double p = 1;
  /// New processes that are slower than all of the baseline by several thresholds and by more than
  /// chance explains. The centre may hide them.
  std::size_t slow_processes = 0;
  double process_deviation = 0;  ///< standard deviation of one process
  double session_deviation = 0;  ///< and of one session
  double detectable = 0;         ///< the slowdown that is found with a probability of 80 %
  double detectable_surely = 0;  ///< of 95 %
  /// `detectable` without a threshold, so that only the noise limits it.
  double resolution = 0;
};

/// The confidence interval of the shift: two-sided, by Student's t, of this benchmark alone. Like
/// the standard error, it does not contain the uncertainty of the common shift. None if the
/// standard error is not known.
std::optional<statistics::interval> interval_of(const benchmark_judgement& judgement,
                                                double confidence);

/// Whether noise hides a slowdown of the threshold, given as a part.
bool is_advisory(const benchmark_judgement& judgement, double threshold);
/// Whether noise hides even a slowdown of three times the threshold.
bool is_blind(const benchmark_judgement& judgement, double threshold);

/// What the benchmarks of a class have in common.
struct common_shift {
  benchmark_class kind = benchmark_class::other;
  std::size_t benchmarks = 0;
  double shift = 0;      ///< median of the shifts
  double explained = 0;  ///< how far the baseline's sessions lie apart; 0 if there are too few
  bool changed = false;  ///< beyond the threshold
};

struct comparison {
  std::vector<benchmark_judgement> benchmarks;  ///< in the order of the observations
  std::vector<common_shift> classes;            ///< of ten benchmarks or more
};

/// Judges every benchmark, each class by itself; docs/GATE.md explains how. Throws
/// std::invalid_argument if a benchmark has too few processes.
comparison compare(std::span<const observation> observations, const limits& limits);

/// What a check with `new_processes` in one session would detect: the same fields, no verdict.
/// Without new runs, the variance of sessions comes from the baseline, or is assumed.
std::vector<benchmark_judgement> detectable(std::span<const observation> observations,
                                            std::size_t new_processes, const limits& limits);

}  // namespace bench_transfers::gate
