#pragma once

#include <optional>
#include <vector>

#include "src/statistics/quantile.hpp"
#include "src/statistics/sample_order.hpp"

namespace bench_transfers::statistics {

/// How many times as large the values of one sample are as those of another.
struct ratio {
  double value = 1;  ///< of the medians
  /// 95 %: of the ratios of all pairs, those that the test of Mann and Whitney leaves. It assumes
  /// independent values and no distribution. None of too few values.
  std::optional<statistics::interval> interval = {};

  /// Whether the values are larger, by the interval.
  [[nodiscard]] bool is_above_one() const { return interval && interval->low > 1; }
};

/// Of positive values; neither may be empty. `limits` are shared by the ratios of a file.
ratio ratio_of(const std::vector<double>& first, const std::vector<double>& second,
               pair_limits& limits);

}  // namespace bench_transfers::statistics
