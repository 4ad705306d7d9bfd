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

/// By how much a class is slower as a whole: by more than its threshold.
struct class_slowdown {
  benchmark_class kind = benchmark_class::other;
  double slowdown = 0;  ///< as a part
};
/// Of ten benchmarks or more, than in the first baseline of the line.
std::vector<class_slowdown> crept_classes(const baseline& next, const limits& limits);
/// In the slowest session than in the fastest.
std::vector<class_slowdown> distant_sessions(const baseline& baseline, const limits& limits);

}  // namespace bench_transfers::gate
