#pragma once

#include <span>

namespace bench_transfers::statistics {

/// The measured time of one operation at one size.
struct measured_time {
  double bytes;
  double ns;
  double relative_error = 0;  ///< standard error of `ns`, as a part of it; 0 if unknown
};

/// time = t0 + bytes / bandwidth, in ns and bytes. Kept by its value at a centre, because level and
/// slope are independent there, which t0 and slope are not.
struct line {
  double centre = 0;  ///< bytes
  double level = 0;   ///< ns at the centre
  double slope = 0;   ///< ns per byte, not negative
  /// Squared standard errors, to be multiplied by the variance of a point of weight 1.
  double level_variance = 0, slope_variance = 0;
  double chi_squared = 0;  ///< sum of squared weighted residuals
  int coefficients = 0;

  [[nodiscard]] double at(double bytes) const { return level + slope * (bytes - centre); }
  [[nodiscard]] double variance_at(double bytes) const {
    return level_variance + slope_variance * (bytes - centre) * (bytes - centre);
  }
  [[nodiscard]] double t0() const { return at(0); }
};

/// Constraint on a line at size 0. Time never falls with size, and it is not negative at size 0;
/// the latter holds only for the line of the smallest sizes.
enum class at_zero { anything, not_negative };

/// How far measured times may lie off a line that describes them, as a part of them: the systematic
/// error at a size, which its relative_error does not contain.
inline constexpr double line_tolerance = 0.02;

/// Standard deviation to expect of one point, as a part of its time.
double expected_error(const measured_time& point);
/// In a fit: one over its square, in ns.
double weight(const measured_time& point);

/// Weighted least squares of relative residuals; a single point gives its level and slope 0.
/// Throws std::invalid_argument if there are no points.
line fit_line(std::span<const measured_time> points, at_zero zero);

}  // namespace bench_transfers::statistics
