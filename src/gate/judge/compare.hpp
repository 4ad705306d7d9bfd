#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "src/gate/judge/session_variance.hpp"
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
  bool latency_bound = false;
  double least_deviation = 0;  ///< the resolution of clock and digits, in logarithms
};

/// When a difference counts.
struct limits {
  double threshold = 0.02;          ///< the slowdown that counts, as a part, if bandwidth decides
  double latency_threshold = 0.05;  ///< the same if latency decides
  double false_alarm = 0.01;        ///< probability of any alarm in a check where nothing changed

  [[nodiscard]] double threshold_for(bool latency_bound) const {
    return latency_bound ? latency_threshold : threshold;
  }
};

enum class outcome { same, slower, faster, ambiguous };

/// How one benchmark is judged, and why. Shifts are differences of logarithms, positive if slower.
struct benchmark_judgement {
  outcome verdict = outcome::same;
  double shift = 0;           ///< after against before
  double standard_error = 0;  ///< of the shift beyond the common one, by processes and sessions
  double degrees = 0;         ///< of freedom, of the standard error
  double p = 1;               ///< that an unchanged benchmark looks as slow as this; Holm-adjusted
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

/// A verdict on the suite needs one sensitive benchmark for every ten. A benchmark whose noise
/// hides a slowdown is not sensitive: if nine of ten were like that, a pass would say nothing about
/// the suite. To require half of them would be too much for machines that are shared.
inline constexpr std::size_t benchmarks_per_sensitive_one = 10;
/// Whether fewer are sensitive than a verdict needs, or none.
bool are_too_few(std::size_t sensitive, std::size_t benchmarks);

/// What the benchmarks of a class have in common: those that latency decides, or those that
/// bandwidth decides.
struct common_shift {
  bool latency_bound = false;
  std::size_t benchmarks = 0;
  double shift = 0;      ///< median of the shifts
  double explained = 0;  ///< how far the baseline's sessions lie apart; 0 if there are too few
  bool changed = false;  ///< beyond the threshold
};

struct comparison {
  std::vector<benchmark_judgement> benchmarks;  ///< in the order of the observations
  std::vector<common_shift> classes;            ///< of ten benchmarks or more
};

/// Judges every benchmark; docs/GATE.md explains how. Throws std::invalid_argument if a benchmark
/// has too few processes.
comparison compare(std::span<const observation> observations, const limits& limits);

/// What a check with `new_processes` in one session would detect: the same fields, verdict same.
/// Without new runs, the variance of sessions comes from the baseline, or is assumed.
std::vector<benchmark_judgement> detectable(std::span<const observation> observations,
                                            std::size_t new_processes, const limits& limits);

}  // namespace bench_transfers::gate
