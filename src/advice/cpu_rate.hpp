#pragma once

#include <vector>

#include "src/statistics/estimate.hpp"
#include "src/statistics/line.hpp"

namespace bench_transfers::advice {

/// Time per byte of CPU access against the size of the working set: steps from cache to cache, so
/// that no line fits, and few sizes are measured. Between two sizes it changes with the logarithm
/// of the size; beyond both ends it stays.
class cpu_rate {
 public:
  /// By size; `ns` is the time of one pass over `bytes`. Throws std::invalid_argument when empty.
  explicit cpu_rate(std::vector<statistics::measured_time> passes);

  /// One pass over so many bytes, in ns. The interval reaches to what either neighbouring size
  /// would give.
  [[nodiscard]] statistics::estimate pass(double bytes) const;

  /// By how much it exceeds another memory's. Of what either neighbouring size would give, only
  /// the difference counts: both are interpolated alike.
  [[nodiscard]] statistics::estimate pass_beyond(const cpu_rate& other, double bytes) const;

  [[nodiscard]] double smallest() const { return passes_.front().bytes; }
  [[nodiscard]] double largest() const { return passes_.back().bytes; }

 private:
  struct neighbours {
    const statistics::measured_time &below, &above;  // the same one at and beyond the ends
  };
  [[nodiscard]] neighbours around(double bytes) const;
  [[nodiscard]] static statistics::estimate per_byte(const statistics::measured_time& measured);

  std::vector<statistics::measured_time> passes_;
};

}  // namespace bench_transfers::advice
