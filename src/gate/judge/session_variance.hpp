#pragma once

#include <span>
#include <vector>

namespace bench_transfers::gate {

/// What one benchmark says about how much sessions differ beyond the common shift of its class.
struct session_evidence {
  double process_variance = 0;  ///< of one process
  /// The new session against the baseline: the difference, its part of the process variance, and
  /// its part of the session variance. The session part is 0 if there is no new session.
  double shift = 0, shift_process_part = 0, shift_session_part = 0;
  /// Between the baseline's sessions: the variance of their centres, its part of the process
  /// variance, and the degrees of freedom, which are 0 for a single session.
  double between_sessions = 0, between_process_part = 0, between_degrees = 0;
};

struct session_estimate {
  double variance;
  double degrees;  ///< of freedom
};

/// The variance of sessions for each benchmark of a class. It is (A s)² with s = g (d / g)^b, where
/// d is the benchmark's deviation between processes and g the geometric mean of d over the class. A
/// and b are fitted by maximum likelihood. The likelihood takes squared shifts for Student's t and
/// variances between sessions for F variables, whose long tails keep a few real changes from
/// deciding the fit. Of all A and b that are about as likely (within 2 of the largest logarithm),
/// those with the largest variance are used, and a benchmark's own evidence never makes it smaller.
///
/// Only shifts of benchmarks that got faster than the class are fitted, because up to half of the
/// slower ones may be slower in truth. If the fastest tenth may be improvements, only the fact that
/// they are the fastest tenth counts. If the shifts of the faster benchmarks scatter so much more
/// than those of the slower ones that chance does not explain it, more are improvements: then the
/// slower benchmarks, without their slowest quarter, count instead.
///
/// With fewer than 20 pieces of evidence, the variance is at least what docs/GATE.md assumes: five
/// times the deviation between processes, and 0.2 %. If the new session is still to come and will
/// bring as many pieces, that much is not assumed: one deviation between processes, and 0.2 %.
std::vector<session_estimate> session_variances(std::span<const session_evidence> suite,
                                                bool awaits_new_session = false);

}  // namespace bench_transfers::gate
