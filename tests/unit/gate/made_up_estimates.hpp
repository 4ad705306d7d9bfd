#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "src/gate/judge/estimate.hpp"

namespace bench_transfers::gate {

/// Unchanged: processes that differ by a thousandth, in two sessions that do not differ.
inline estimate made_up_estimate() {
  estimate benchmark;
  for (int i = 0; i < 10; ++i) benchmark.before.push_back(0.001 * (i - 4.5) / 3);
  benchmark.after = {-0.001, 0, 0.001};
  benchmark.looks = {benchmark.after};
  benchmark.sessions = 2;
  benchmark.process_variance = 1e-6;
  benchmark.process_degrees = 100;
  benchmark.process_part = 0.4;
  benchmark.threshold = std::log1p(0.02);
  return benchmark;
}

/// Makes all new processes slower.
inline void slow_down(estimate& benchmark, double by) {
  benchmark.shift += by;
  for (auto& process : benchmark.after) process += by;
  for (auto& look : benchmark.looks)
    for (auto& process : look) process += by;
}

inline class_estimates made_up_class(std::size_t benchmarks) {
  return {benchmark_class::link, std::vector<estimate>(benchmarks, made_up_estimate()), {}};
}

}  // namespace bench_transfers::gate
