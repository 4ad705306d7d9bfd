#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/gate/judge/compare.hpp"
#include "src/gate/model/baseline.hpp"

namespace bench_transfers::gate {

/// Benchmarks of a baseline that are slower by more than their thresholds than in an earlier one:
/// their centres, and three of four of their processes.
struct slower_benchmarks {
  std::size_t count = 0;
  std::string worst;
  double slowdown = 0;  ///< of the worst, as a part
};

/// Whether both are judged by the same figure, of the same kind of device and program.
bool is_comparable(const baseline& earlier, const baseline& next);

/// Makes `next` the successor of `earlier`: it remembers the centres of the first baseline of the
/// line. Does nothing if they are judged by different figures or made on a GPU and without one.
void continue_line(const baseline& earlier, baseline& next);

slower_benchmarks slower_than(const baseline& earlier, const baseline& next, const limits& limits);
slower_benchmarks slower_than_first(const baseline& next, const limits& limits);

/// Classes whose benchmarks, ten or more, are slower as a whole than in the first baseline of the
/// line, by more than the threshold.
struct crept_class {
  benchmark_class kind = benchmark_class::other;
  double slowdown = 0;  ///< as a part
};
std::vector<crept_class> crept_classes(const baseline& next, const limits& limits);

/// The sessions of a class are further apart as a whole than its threshold.
struct session_distance {
  benchmark_class kind = benchmark_class::other;
  double slowdown = 0;  ///< of the slowest session against the fastest, as a part
};
std::vector<session_distance> distant_sessions(const baseline& baseline, const limits& limits);

}  // namespace bench_transfers::gate
