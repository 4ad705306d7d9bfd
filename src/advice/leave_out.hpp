#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/advice/measurements.hpp"
#include "src/statistics/broken_line.hpp"
#include "src/statistics/estimate.hpp"

namespace bench_transfers::advice {

/// A size that was left out of a fit, with its measured and predicted time.
struct left_out_size {
  double bytes;
  double measured_ns;
  statistics::estimate predicted_ns;

  /// Error of the prediction, as a part of the measured time.
  [[nodiscard]] double error() const { return predicted_ns.value / measured_ns - 1; }
  [[nodiscard]] bool is_in_interval() const {
    return predicted_ns.low <= measured_ns && measured_ns <= predicted_ns.high;
  }
};

/// How well the sizes of one series predict each other.
struct leave_out_check {
  std::string name;  ///< of the series
  term measures;
  statistics::broken_line fitted;  ///< to all sizes
  std::vector<left_out_size> sizes;
};

/// Of more sizes of a series only so many are left out: each costs another fit of all others.
inline constexpr std::size_t most_left_out = 64;

/// Leaves out each size in turn and predicts it from all others, except the first, the last and
/// those below 4 KiB, where time hardly depends on the size; of very many, some that are spread
/// over all. Covers transfers, allocation and freeing.
std::vector<leave_out_check> check_by_leaving_out(const measurements& measured);

}  // namespace bench_transfers::advice
