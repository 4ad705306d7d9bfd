#pragma once

#include <span>
#include <vector>

namespace gate {

/// What one benchmark tells about how much sessions differ, beyond what its class has in common.
struct session_evidence {
  double process_variance;  ///< of one process
  /// The new session against the baseline: the difference, its part of the process variance, and
  /// its part of the session variance. No session part: there is none.
  double shift, shift_process_part, shift_session_part;
  /// Between the baseline's sessions: the variance of their centres, its part of the process
  /// variance, and the degrees of freedom. No degrees: one session.
  double between_sessions, between_process_part, between_degrees;
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
/// taken, and no benchmark's own evidence makes it smaller. With fewer than 20 benchmarks it
/// is at least what docs/GATE.md assumes: twice the deviation between processes, and 0.2 %.
std::vector<session_estimate> session_variances(std::span<const session_evidence> all);

}  // namespace gate
