#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "src/gate/judge/baseline_sessions.hpp"
#include "src/gate/judge/compare.hpp"
#include "src/statistics/variance_prior.hpp"

namespace bench_transfers::gate {

/// One benchmark before its judgement. Logarithms; larger is slower.
struct estimate {
  std::vector<double> before, after;  ///< processes of all sessions, ascending
  costs looks;                        ///< new processes by look
  std::size_t sessions = 0;           ///< of the baseline that have measured it
  session_levels levels;
  double centre = 0;  ///< of `before`
  double shift = 0;
  double common = 0;        ///< part of the shift that the class has in common
  double common_bound = 0;  ///< how far sessions move the class, see common_bound_of()
  double process_variance = 0;
  double process_degrees = 0;
  double process_part = 0;  ///< of the shift's variance, as a multiple of the process variance
  statistics::variance_estimate excess{0, 1};  ///< of the shift: new processes vary by more
  double session_part = 0;                     ///< likewise of the session variance
  statistics::variance_estimate session{0, 1};
  double threshold = 0;

  [[nodiscard]] double variance_by_processes() const {
    return process_variance * process_part + excess.variance;
  }
  [[nodiscard]] double variance_by_sessions() const { return session.variance * session_part; }
  [[nodiscard]] double standard_error() const {
    return std::sqrt(variance_by_processes() + variance_by_sessions());
  }
  /// So many new processes in one session, in the place of those observed.
  void expect(std::size_t new_processes);
  /// Welch-Satterthwaite.
  [[nodiscard]] double degrees() const;
  /// The least slowdown and the least speedup, whether or not the common shift belongs to it.
  [[nodiscard]] double least_slowdown() const { return std::min(shift, shift - common); }
  [[nodiscard]] double least_speedup() const { return -std::max(shift, shift - common); }
};

/// The benchmarks of one class.
struct class_estimates {
  benchmark_class kind = benchmark_class::other;
  std::vector<estimate> benchmarks;  ///< in the order of the observations
  /// None if there are too few benchmarks, or no new runs yet.
  std::optional<common_shift> shared;
};

/// Estimates from the new runs. All observations are of one of so many classes. Throws
/// std::invalid_argument if a benchmark has too few processes.
class_estimates estimates_of(std::span<const observation> observations, const limits& limits,
                             std::size_t classes);

/// The same for `new_processes` in one session in the place of those observed.
class_estimates estimates_for(std::span<const observation> observations, std::size_t new_processes,
                              const limits& limits);

}  // namespace bench_transfers::gate
