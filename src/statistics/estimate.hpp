#pragma once

#include <span>

namespace bench_transfers::statistics {

/// Which sign a difference has by its interval: 1, slower where it is of times; -1; or 0
/// if the interval has zero in it, so that chance alone may be the reason.
template <class Interval>
int sign_of(const Interval& difference) {
  return difference.low > 0 ? 1 : difference.high < 0 ? -1 : 0;
}

/// A value with its 95 % interval, all in one unit.
struct estimate {
  double value = 0, low = 0, high = 0;

  friend bool operator==(const estimate&, const estimate&) = default;
};

/// Standard errors from a value to the ends of its 95 % interval: that of a normal distribution.
inline constexpr double standard_errors_to_ends = 1.96;

/// A value that is not negative, with its standard error, which is a part of it.
estimate with_error(double value, double relative_error);

/// The estimate times a factor that is exact and not negative.
estimate scaled(const estimate& unscaled, double factor);

/// Sum of independent quantities: values are added; distances to the ends of the intervals are
/// added in quadrature.
estimate sum(std::span<const estimate> terms);

/// Difference of independent quantities, with an interval as for sum().
estimate difference(const estimate& minuend, const estimate& subtrahend);

}  // namespace bench_transfers::statistics
