#pragma once

#include <span>
#include <vector>

namespace bench_transfers::gate {

/// What one benchmark tells about how much sessions differ, beyond what its class has in common.
struct session_evidence {
  double process_variance = 0;  ///< of one process
  /// The new session against the baseline: the difference, its part of the process variance, and
  /// its part of the session variance. No session part: there is none.
  double shift = 0, shift_process_part = 0, shift_session_part = 0;
  /// Of shifts below this only that is used: they may be improvements. Negative.
  double censored_below = 0;
  /// Between the baseline's sessions: the variance of their centres, its part of the process
  /// variance, and the degrees of freedom. No degrees: one session.
  double between_sessions = 0, between_process_part = 0, between_degrees = 0;
};

struct session_estimate {
  double variance;
  double degrees;  ///< of freedom
};

/// The variance of sessions for each benchmark. Its size in the suite, (A s)² with s = g (d / g)^b,
/// d the benchmark's deviation between processes and g its geometric mean over the suite, is
/// found by maximum likelihood: squared shifts are taken for Student's t and variances between
/// sessions for F variables, whose long tails keep a few real changes from deciding it. Of all A
/// and b that are about as likely (within 2 of the largest logarithm) the largest variance is
/// taken, and no benchmark's own evidence makes it smaller. With fewer than 20 pieces of evidence
/// it is at least what docs/GATE.md assumes: five times the deviation between processes, and 0.2 %.
std::vector<session_estimate> session_variances(std::span<const session_evidence> all);

}  // namespace bench_transfers::gate
