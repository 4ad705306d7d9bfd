#include "src/statistics/estimate.hpp"

#include <algorithm>
#include <cmath>

namespace bench_transfers::statistics {

estimate with_error(double value, double relative_error) {
  const double reach = standard_errors_to_ends * relative_error * value;
  return {value, std::max(0.0, value - reach), value + reach};
}

estimate scaled(const estimate& unscaled, double factor) {
  return {unscaled.value * factor, unscaled.low * factor, unscaled.high * factor};
}

estimate sum(std::span<const estimate> terms) {
  double value = 0;
  double below = 0;
  double above = 0;
  for (const auto& term : terms) {
    value += term.value;
    below = std::hypot(below, term.value - term.low);
    above = std::hypot(above, term.high - term.value);
  }
  return {value, value - below, value + above};
}

estimate difference(const estimate& minuend, const estimate& subtrahend) {
  const double value = minuend.value - subtrahend.value;
  return {value,
          value - std::hypot(minuend.value - minuend.low, subtrahend.high - subtrahend.value),
          value + std::hypot(minuend.high - minuend.value, subtrahend.value - subtrahend.low)};
}

}  // namespace bench_transfers::statistics
