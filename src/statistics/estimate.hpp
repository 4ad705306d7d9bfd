#pragma once

#include <span>

namespace bench_transfers::statistics {

/// A value with its 95 % interval, all in one unit.
struct estimate {
  double value = 0, low = 0, high = 0;

  friend bool operator==(const estimate&, const estimate&) = default;
};

/// The estimate times a factor that is exact and not negative.
estimate scaled(const estimate& unscaled, double factor);

/// Sum of independent quantities: values are added; distances to the ends of the intervals are
/// added in quadrature.
estimate sum(std::span<const estimate> terms);

/// Difference of independent quantities, with an interval as for sum().
estimate difference(const estimate& minuend, const estimate& subtrahend);

}  // namespace bench_transfers::statistics
