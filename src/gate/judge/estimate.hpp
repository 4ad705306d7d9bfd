#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "src/gate/judge/compare.hpp"
#include "src/gate/judge/session_variance.hpp"
#include "src/statistics/variance_prior.hpp"

namespace bench_transfers::gate {

/// A smaller class has no common shift: its median could be that of real changes.
inline constexpr std::size_t least_class_size = 10;

/// How far the baseline's sessions of a benchmark are from one another, beyond the class: the
/// medians of their processes. Two slow processes of five are none of a slow session.
struct session_levels {
  double apart = 0;               ///< the slowest from the fastest
  double apart_by_processes = 0;  ///< what processes alone may explain

  [[nodiscard]] bool differ() const { return apart > 0 && apart >= apart_by_processes; }
};

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
  session_estimate session{0, 1};
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
  /// None if there are too few benchmarks: their median could be that of real changes.
  std::optional<common_shift> shared;
};

/// Estimates from the new runs. All observations are of one of so many classes. Throws
/// std::invalid_argument if a benchmark has too few processes.
class_estimates estimates_of(std::span<const observation> observations, const limits& limits,
                             std::size_t classes);

/// The same for `new_processes` in one session in the place of those observed.
class_estimates estimates_for(std::span<const observation> observations, std::size_t new_processes,
                              const limits& limits);

/// How far another session may move a class as a whole, upwards and with a confidence of 95 %. Of
/// host and latency only the baseline's sessions tell; infinite if there is only one. 0 for a class
/// that is too small.
double common_bound_of(std::span<const observation> observations);

/// What the benchmarks of a class have in common in each session of the baseline, against the mean
/// of all sessions. Empty for a class that is too small.
std::vector<double> common_of_sessions(std::span<const observation> observations);

}  // namespace bench_transfers::gate
