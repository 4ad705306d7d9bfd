#pragma once

#include <string>
#include <vector>

#include "src/advice/measurements.hpp"
#include "src/statistics/estimate.hpp"

namespace bench_transfers::advice {

/// A size that was left out of a fit, and what the fit says about it.
struct left_out_size {
  double bytes;
  double measured_ns;
  statistics::estimate predicted_ns;

  /// Of the prediction, as a part of what was measured.
  [[nodiscard]] double error() const { return predicted_ns.value / measured_ns - 1; }
  [[nodiscard]] bool is_in_interval() const {
    return predicted_ns.low <= measured_ns && measured_ns <= predicted_ns.high;
  }
};

/// How well the sizes of one series predict each other.
struct leave_out_check {
  std::string name;  ///< of the series
  term measures;
  std::vector<left_out_size> sizes;
};

/// Leaves out every size in turn, but for the first and last, and those below 4 KiB, where time
/// hardly depends on the size; predicts each from all others. Transfers, allocation and freeing.
std::vector<leave_out_check> check_by_leaving_out(const measurements& measured);

}  // namespace bench_transfers::advice
