#pragma once

#include <vector>

#include "src/statistics/estimate.hpp"
#include "src/statistics/line.hpp"

namespace bench_transfers::advice {

/// Time per byte of CPU access as a function of the working set. It steps from cache to cache, so
/// no line fits, and few sizes are measured. Between two sizes it is interpolated over the
/// logarithm of the size; beyond the ends it is constant.
class cpu_rate {
 public:
  /// `passes` by size; `ns` is the time of one pass over `bytes`. Throws std::invalid_argument if
  /// there are none.
  explicit cpu_rate(std::vector<statistics::measured_time> passes);

  /// Time of one pass over `bytes`, in ns. The interval includes the predictions from both
  /// neighbouring sizes.
  [[nodiscard]] statistics::estimate pass(double bytes) const;

  /// By how much one pass exceeds that over another memory. The interval includes the differences
  /// at both neighbouring sizes; the interpolation is the same for both memories and cancels out.
  [[nodiscard]] statistics::estimate pass_beyond(const cpu_rate& reference, double bytes) const;

  [[nodiscard]] double smallest() const { return passes_.front().bytes; }
  [[nodiscard]] double largest() const { return passes_.back().bytes; }

 private:
  struct neighbours {
    const statistics::measured_time &below, &above;  // the same measurement at and beyond the ends
  };
  [[nodiscard]] neighbours around(double bytes) const;
  [[nodiscard]] static statistics::estimate per_byte(const statistics::measured_time& measured);

  std::vector<statistics::measured_time> passes_;
};

}  // namespace bench_transfers::advice
