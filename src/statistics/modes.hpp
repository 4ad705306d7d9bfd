#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace bench_transfers::statistics {

/// Some of the values, which are near each other.
struct mode {
  double median = 0;
  std::size_t count = 0;

  friend bool operator==(const mode&, const mode&) = default;
};

/// Values that lie in two groups, with next to nothing at their median.
struct two_modes {
  mode low, high;

  friend bool operator==(const two_modes&, const two_modes&) = default;
};

/// The modes of positive values, if the largest gap between neighbours is far wider than the groups
/// on both sides scatter, and more than 5 %. A group has at least two values and a fifth of them.
/// Fewer than six values have no modes. Of normal values at most 1 % are taken for two modes.
std::optional<two_modes> two_modes_of(std::vector<double> values);

}  // namespace bench_transfers::statistics
