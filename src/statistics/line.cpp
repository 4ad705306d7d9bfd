#include "src/statistics/line.hpp"

#include <cmath>
#include <stdexcept>

namespace bench_transfers::statistics {
namespace {

line flat(std::span<const measured_time> points) {
  double weights = 0;
  double level = 0;
  for (const auto& point : points) {
    weights += weight(point);
    level += weight(point) * point.ns;
  }
  return {.level = level / weights, .level_variance = 1 / weights, .coefficients = 1};
}

line through_origin(std::span<const measured_time> points) {
  double xx = 0;
  double xy = 0;
  for (const auto& point : points) {
    xx += weight(point) * point.bytes * point.bytes;
    xy += weight(point) * point.bytes * point.ns;
  }
  return {.slope = xy / xx, .slope_variance = 1 / xx, .coefficients = 1};
}

line free_line(std::span<const measured_time> points) {
  double weights = 0;
  double x = 0;
  double y = 0;
  for (const auto& point : points) {
    weights += weight(point);
    x += weight(point) * point.bytes;
    y += weight(point) * point.ns;
  }
  line fitted{.centre = x / weights,
              .level = y / weights,
              .level_variance = 1 / weights,
              .coefficients = 2};
  double xx = 0;
  double xy = 0;
  for (const auto& point : points) {
    const double distance = point.bytes - fitted.centre;
    xx += weight(point) * distance * distance;
    xy += weight(point) * distance * (point.ns - fitted.level);
  }
  fitted.slope = xy / xx;
  fitted.slope_variance = 1 / xx;
  return fitted;
}

line best_line(std::span<const measured_time> points, at_zero zero) {
  if (points.size() == 1) return flat(points);
  const auto fitted = free_line(points);
  if (fitted.slope < 0) return flat(points);
  if (zero == at_zero::not_negative && fitted.t0() < 0) return through_origin(points);
  return fitted;
}

}  // namespace

double expected_error(const measured_time& point) {
  return std::hypot(line_tolerance, point.relative_error);
}

double weight(const measured_time& point) {
  const double error = point.ns * expected_error(point);
  return 1 / (error * error);
}

line fit_line(std::span<const measured_time> points, at_zero zero) {
  if (points.empty()) throw std::invalid_argument("a line needs at least one point");
  auto fitted = best_line(points, zero);
  for (const auto& point : points) {
    const double residual = point.ns - fitted.at(point.bytes);
    fitted.chi_squared += weight(point) * residual * residual;
  }
  return fitted;
}

}  // namespace bench_transfers::statistics
