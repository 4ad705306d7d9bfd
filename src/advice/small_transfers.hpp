#pragma once

#include <map>
#include <optional>
#include <string>

#include "src/advice/measurements.hpp"
#include "src/statistics/sample_order.hpp"

namespace bench_transfers::advice {

/// Up to this size, in bytes, the call takes longer than the bytes: strategies differ by little,
/// and fitted lines may be off by as much.
constexpr double largest_small_transfer = 16 * 1024;

using statistics::alike;
using statistics::most_apart;

/// What repetitions show of the small transfers of one direction.
class small_transfers {
 public:
  /// The baseline is one of the strategies.
  small_transfers(const std::map<std::string, const repetitions*>& strategies,
                  const std::string& baseline);

  /// Whether repetitions confirm that a strategy is faster than the baseline, at the measured size
  /// next to this one: by more than 10 %, which is clear (Mann and Whitney, 95 %), or by more than
  /// 3 %, on which 19 of 20 pairs agree. Where noise hides a gain of more than 3 %, most of the
  /// small sizes decide. None if the transfer is not small, or either was repeated too seldom.
  [[nodiscard]] std::optional<bool> is_faster(const std::string& strategy, double bytes) const;

  [[nodiscard]] const std::string& baseline() const { return baseline_; }

 private:
  enum class gain { none, hidden, clear };

  std::string baseline_;
  std::map<std::string, std::map<double, gain>> gains_;  // by strategy and size
};

}  // namespace bench_transfers::advice
