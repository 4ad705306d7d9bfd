#pragma once

#include "src/gate/model/benchmark_class.hpp"

namespace bench_transfers::gate {

/// How far shifts are from 0 where nobody has measured it: about as far as the recorded machines
/// are from one another (docs/GATE.md).
struct assumed_deviations {
  double of_class;      ///< of a class as a whole, in another session or on another machine
  double of_benchmark;  ///< of a single benchmark beyond its class, on another machine
};

constexpr assumed_deviations assumed_for(benchmark_class kind) {
  switch (kind) {
    case benchmark_class::host: return {.of_class = 0.05, .of_benchmark = 0.05};
    case benchmark_class::latency: return {.of_class = 0.075, .of_benchmark = 0.08};
    case benchmark_class::link:
    case benchmark_class::other: break;
  }
  return {.of_class = 0.002, .of_benchmark = 0.002};
}

}  // namespace bench_transfers::gate
