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

/// What is compared: one benchmark before and after.
struct observed {
  costs before;  ///< three processes or more in all; as many sessions for every benchmark
  costs after;   ///< one process or more in all
  bool latency_bound = false;
  double least_deviation = 0;  ///< what clock and digits cannot tell apart, in logarithms
};

/// When a difference counts.
struct limits {
  double threshold = 0.02;          ///< slower by this part, of what bandwidth decides
  double latency_threshold = 0.05;  ///< of what latency decides
  double false_alarm = 0.01;        ///< probability of any alarm in a check where nothing changed

  [[nodiscard]] double threshold_for(bool latency_bound) const {
    return latency_bound ? latency_threshold : threshold;
  }
};

enum class outcome { same, slower, faster, ambiguous };

/// What is known of one benchmark. Shifts are differences of logarithms, positive when slower.
struct judged {
  outcome verdict = outcome::same;
  double shift = 0;           ///< after against before
  double standard_error = 0;  ///< of the shift beyond the common one, by processes and sessions
  double degrees = 0;         ///< of freedom, of the standard error
  double p = 1;               ///< that an unchanged benchmark looks as slow as this; Holm-adjusted
  double process_deviation = 0;  ///< standard deviation of one process
  double session_deviation = 0;  ///< and of one session
  double detectable = 0;         ///< the slowdown that is found with a probability of 80 %
  double detectable_surely = 0;  ///< of 95 %
  /// The same as `detectable`, if any slowdown counted: what the noise alone leaves to be seen.
  double resolution = 0;
};

/// The confidence interval of the shift: two-sided, by Student's t, of this benchmark alone. How
/// surely the common shift is known is not in it, as it is not in the standard error. None where
/// the standard error is not known.
std::optional<statistics::interval> interval_of(const judged& one, double confidence);

/// Whether noise hides a slowdown of the threshold, given as a part.
bool is_advisory(const judged& one, double threshold);
/// Whether noise hides even a slowdown of three times the threshold.
bool is_blind(const judged& one, double threshold);

/// A verdict is said of the whole suite, and needs one benchmark of so many that can tell it.
/// Advisory benchmarks slow down unseen: a pass of which nine of ten are says nothing of the suite.
/// That half of them can tell is more than machines shared with others allow.
inline constexpr std::size_t benchmarks_for_each_that_tells = 10;
/// Too few can tell, or none.
bool says_too_little(std::size_t telling, std::size_t all);

/// A class of benchmarks as a whole: those that latency decides, or those that bandwidth does.
struct common_shift {
  bool latency_bound = false;
  std::size_t benchmarks = 0;
  double shift = 0;      ///< median of the shifts
  double explained = 0;  ///< how far the sessions of the baseline lie apart; 0 where too few tell
  bool changed = false;  ///< beyond the threshold
};

struct comparison {
  std::vector<judged> benchmarks;     ///< as given
  std::vector<common_shift> classes;  ///< of ten benchmarks or more; smaller ones have none
};

/// Judges every benchmark; docs/GATE.md explains how. Throws std::invalid_argument when a
/// benchmark has too few processes.
comparison compare(std::span<const observed> all, const limits& allowed);

/// What is detectable with `after` new processes in one session: the same fields, verdict same.
/// Without new runs, sessions are judged by those of the baseline, or by assumption.
std::vector<judged> detectable(std::span<const observed> all, std::size_t after,
                               const limits& allowed);

}  // namespace bench_transfers::gate
