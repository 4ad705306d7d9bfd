#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "src/result_file/sentinels.hpp"

namespace bench_transfers::result_file {

/// A round in which a sentinel was outside the control limit.
struct slow_round {
  int process = 1;
  int round = 1;
  std::size_t device = 0;
  sentinel kind = sentinel::h2d;
  double percent = 0;        ///< by which it was slower than in the quiet rounds of its process
  double limit_percent = 0;  ///< that a quiet round does not exceed
};

/// The rounds outside the control limits that the readings themselves give, in their order. Levels
/// of processes differ, so that each is compared with its own quiet rounds, the fastest third. The
/// noise of a round is that of all processes, by the readings within rounds and by the rounds that
/// lie closest together, so that neither outliers nor slow rounds widen the limit. Of copies by an
/// engine, the fastest readings count, which repeat best, and of the rest the middle. A round with
/// fewer than two readings is not judged, and nor are fewer than three rounds of a process.
std::vector<slow_round> rounds_outside_limits(std::span<const sentinel_readings> all);

/// How many rounds could be judged.
std::size_t count_judged(std::span<const sentinel_readings> all);

}  // namespace bench_transfers::result_file
