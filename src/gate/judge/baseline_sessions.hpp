#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "src/gate/judge/compare.hpp"
#include "src/gate/judge/session_variance.hpp"

namespace bench_transfers::gate {

/// A smaller class has no common shift: its median could be that of real changes.
inline constexpr std::size_t least_class_size = 10;

/// What the benchmarks of a class have in common in each session of the baseline, against the mean
/// of all sessions. Empty for a class that is too small.
std::vector<double> common_of_sessions(std::span<const observation> observations);

/// How the centres of a benchmark's sessions differ beyond `common`. None for a single session.
std::optional<baseline_evidence> baseline_evidence_of(const observation& observed,
                                                      std::span<const double> common);

/// How far the baseline's sessions of a benchmark are from one another, beyond the class: the
/// medians of their processes. Two slow processes of five are none of a slow session.
struct session_levels {
  double apart = 0;               ///< the slowest from the fastest
  double apart_by_processes = 0;  ///< what processes alone may explain

  [[nodiscard]] bool differ() const { return apart > 0 && apart >= apart_by_processes; }
};

/// Of a benchmark that several sessions have measured. `process_deviation`: the standard deviation
/// of one process.
session_levels session_levels_of(const observation& observed, std::span<const double> common,
                                 const baseline_evidence& evidence, double process_deviation);

}  // namespace bench_transfers::gate
