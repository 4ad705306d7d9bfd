#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace transfers::detail {

/// Of two methods, timed at rising sizes, `small` is for the sizes below the returned index and
/// `large` for the others: the index at which the product of the chosen times is least, so that one
/// disturbed time decides little. 0 … small.size(); of equal ones the greatest. Times are positive.
inline std::size_t best_switch(std::span<const double> small, std::span<const double> large) {
  std::size_t best = small.size();
  double cost = 0;  // as a logarithm, relative to `small` at all sizes
  double least = 0;
  for (std::size_t i = small.size(); i-- > 0;) {
    cost += std::log(large[i] / small[i]);
    if (cost < least) {
      least = cost;
      best = i;
    }
  }
  return best;
}

}  // namespace transfers::detail
