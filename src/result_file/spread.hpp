#pragma once

#include <map>
#include <optional>

#include "src/result_file/contents.hpp"
#include "src/statistics/modes.hpp"
#include "src/statistics/quantile.hpp"

namespace bench_transfers::result_file {

/// How far the times of a benchmark's repetitions are apart, in ns.
struct spread {
  double median = 0;
  /// Where its median lies in other processes of the machine, with 95 %; it holds the median of
  /// this file, or both modes. None if a single process has measured it: a process does not show
  /// how far others differ.
  std::optional<statistics::interval> interval = {};
  std::optional<statistics::two_modes> modes = {};
};

/// What an interval is to be compared with: processes of other minutes, or benchmarks of the same
/// rounds.
enum class compared_with { other_minutes, same_run };

/// Of each benchmark that has times. Benchmarks of a class (benchmark_class.hpp) tell each other's
/// variance between processes.
std::map<const benchmark*, spread> spreads_of(const contents& read,
                                              compared_with others = compared_with::other_minutes);

}  // namespace bench_transfers::result_file
