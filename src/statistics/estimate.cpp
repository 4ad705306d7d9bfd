#include "src/statistics/estimate.hpp"

#include <cmath>

namespace bench_transfers::statistics {

estimate scaled(const estimate& one, double factor) {
  return {one.value * factor, one.low * factor, one.high * factor};
}

estimate sum(std::span<const estimate> all) {
  double value = 0;
  double below = 0;
  double above = 0;
  for (const auto& one : all) {
    value += one.value;
    below = std::hypot(below, one.value - one.low);
    above = std::hypot(above, one.high - one.value);
  }
  return {value, value - below, value + above};
}

estimate difference(const estimate& one, const estimate& other) {
  const double value = one.value - other.value;
  return {value, value - std::hypot(one.value - one.low, other.high - other.value),
          value + std::hypot(one.high - one.value, other.value - other.low)};
}

}  // namespace bench_transfers::statistics
