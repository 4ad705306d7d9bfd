#pragma once

#include <cstddef>

#include "src/gate/judge/estimate.hpp"

namespace bench_transfers::gate {

/// A benchmark is slower only if every process shows it, not only their centre: one disturbed
/// process of three, or a benchmark with two speeds, is not a slower program. Of every three new
/// processes beyond the third, one may be as fast as before; of every 40 processes of the baseline,
/// one may be as slow as now.
class every_process_slower {
 public:
  every_process_slower(const estimate& benchmark, std::size_t new_processes);

  [[nodiscard]] bool holds_for(const estimate& benchmark) const;

  /// The distance from the baseline's centre that the fastest new process must exceed.
  [[nodiscard]] double least() const { return least_; }
  /// New processes that need not exceed it.
  [[nodiscard]] std::size_t tolerated() const { return tolerated_; }

 private:
  double least_;
  std::size_t tolerated_;
};

/// How a check looks at a benchmark.
struct look_at_benchmark {
  std::size_t new_processes;
  double first_p;  ///< that the most significant benchmark of the suite needs
};

/// The shift that is judged slower with the probability `power`, by the normal distribution of
/// centres and the probability that every process shows it.
double detectable_shift(const estimate& benchmark, const look_at_benchmark& look, double power);

/// The shift with its error and its bounds. The slowdowns that would be found are not in it.
benchmark_judgement bounds_of(const estimate& benchmark, const look_at_benchmark& look);

/// The same with these slowdowns, which take the most time.
benchmark_judgement judgement_without_verdict(const estimate& benchmark,
                                              const look_at_benchmark& look);

}  // namespace bench_transfers::gate
