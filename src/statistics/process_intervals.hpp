#pragma once

#include <optional>
#include <span>
#include <vector>

#include "src/statistics/quantile.hpp"

namespace bench_transfers::statistics {

/// The processes whose median an interval is to hold, besides those that it is made of.
inline constexpr int processes_to_come = 7;

/// 95 % intervals from what processes have measured: for each benchmark its median in each of them.
/// An interval holds the median of processes_to_come further processes: it is Student's t of the
/// logarithms, whose variances, each of few processes, are drawn towards that of all benchmarks
/// given (variance_prior), which should resemble each other. Nullopt for fewer than two processes,
/// and where neither these nor the others tell a variance with two degrees of freedom. `drift`: by
/// how much of the variance between processes that follow each other the further ones, of other
/// minutes, differ besides.
std::vector<std::optional<interval>> intervals_of_processes(
    std::span<const std::vector<double>> medians, double drift);

}  // namespace bench_transfers::statistics
