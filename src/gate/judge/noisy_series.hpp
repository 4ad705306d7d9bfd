#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/gate/judge/compare.hpp"
#include "src/gate/judge/history.hpp"
#include "src/statistics/variance_prior.hpp"

namespace bench_transfers::gate {

/// A series with what is known of its noise.
struct noisy_series {
  gate::series series;
  statistics::variance_estimate of_session{0, 0};  ///< of one session around its level
  /// Shift of each session's slowest process. Empty for a class.
  std::vector<std::optional<double>> slowest = {};
};

/// A benchmark before its levels are known. `first`: its cost in the first baseline.
noisy_series series_of_benchmark(const std::string& name, benchmark_class kind,
                                 const costs& sessions, double first, const limits& limits);

/// What the benchmarks of each class have in common, for classes that are large enough.
std::vector<noisy_series> series_of_classes(const std::vector<noisy_series>& benchmarks,
                                            std::size_t sessions);

/// Draws the variances of benchmarks of a class towards one another, and makes none smaller.
void moderate(std::vector<noisy_series>& benchmarks);

/// Finds the levels of all series, and which have crept. `first_sessions`: of the first baseline.
void follow(const std::vector<noisy_series*>& all, const limits& limits,
            std::size_t first_sessions);

}  // namespace bench_transfers::gate
