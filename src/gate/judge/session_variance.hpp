#pragma once

#include <optional>
#include <span>
#include <vector>

#include "src/statistics/variance_prior.hpp"

namespace bench_transfers::gate {

/// The new session against the baseline.
struct new_session_evidence {
  double shift = 0;
  double process_part = 0;  ///< of the shift's variance, as a multiple of the process variance
  double session_part = 0;  ///< likewise of the session variance
};

/// The baseline's sessions against one another.
struct baseline_evidence {
  double variance = 0;      ///< of their centres
  double process_part = 0;  ///< of this variance, as a multiple of the process variance
  double degrees = 0;       ///< of freedom
};

/// What one benchmark says about how much sessions differ beyond the common shift of its class.
struct session_evidence {
  double process_variance = 0;                              ///< of one process
  std::optional<new_session_evidence> of_new_session = {};  ///< none without new runs
  std::optional<baseline_evidence> of_baseline = {};        ///< none for a single session
};

/// Whether the new runs have been made, or are to come.
enum class new_session { measured, awaited };

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
/// times the deviation between processes, and 0.2 %. If the new session is awaited and will bring
/// as many pieces, that much is not assumed: one deviation between processes, and 0.2 %.
std::vector<statistics::variance_estimate> session_variances(
    std::span<const session_evidence> suite, new_session newest = new_session::measured);

}  // namespace bench_transfers::gate
