#include "src/statistics/broken_line.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "src/statistics/distributions.hpp"
#include "src/statistics/square.hpp"

namespace bench_transfers::statistics {
namespace {

constexpr double upper_tail = 0.975;  // of a 95 % interval

std::vector<measured_time> checked(std::vector<measured_time> points) {
  for (const auto& point : points)
    if (!(std::isfinite(point.bytes) && point.bytes > 0 && std::isfinite(point.ns) &&
          point.ns > 0 && std::isfinite(point.relative_error) && point.relative_error >= 0))
      throw std::invalid_argument("sizes and times must be positive numbers");
  std::ranges::sort(points, {}, &measured_time::bytes);
  if (std::ranges::adjacent_find(points, {}, &measured_time::bytes) != points.end())
    throw std::invalid_argument("the same size comes twice");
  if (points.size() < 2) throw std::invalid_argument("a line needs two sizes or more");
  return points;
}

}  // namespace

broken_line::broken_line(std::vector<measured_time> points)
    : points_(checked(std::move(points))), pieces_(choose_segments(points_)) {
  tilt_lone_ends();
  estimate_scatter();
}

/// A point that shares its line with no other has no slope of its own. At either end it takes the
/// slope of the bridge, so that sizes beyond it can be predicted.
void broken_line::tilt_lone_ends() {
  if (pieces_.size() < 2) return;
  const auto tilt = [&](segment& end_piece, std::size_t piece_before, double most) {
    if (!end_piece.is_lone_point()) return;
    const auto& point = points_[end_piece.first];
    const auto& neighbour =
        points_[&end_piece == &pieces_.front() ? end_piece.first + 1 : end_piece.first - 1];
    end_piece.fitted.centre = point.bytes;
    end_piece.fitted.slope = std::clamp(bridge_slope(piece_before), 0.0, most);
    end_piece.fitted.slope_variance = (square(point.ns * expected_error(point)) +
                                       square(neighbour.ns * expected_error(neighbour))) /
                                      square(point.bytes - neighbour.bytes);
  };
  const auto& smallest = points_.front();
  const double through_origin = smallest.ns / smallest.bytes;
  tilt(pieces_.front(), 0, through_origin);
  tilt(pieces_.back(), pieces_.size() - 2, std::numeric_limits<double>::infinity());
}

void broken_line::estimate_scatter() {
  double chi_squared = 0;
  int coefficients = 0;
  for (const auto& piece : pieces_) {
    chi_squared += piece.fitted.chi_squared;
    coefficients += piece.fitted.coefficients;
  }
  const auto freedom = static_cast<int>(points_.size()) - coefficients;
  if (freedom > 0) {
    variance_ = chi_squared / freedom;
    standard_errors_ = students_t{static_cast<double>(freedom)}.quantile(upper_tail);
  } else {  // without residuals, the points' own errors count
    standard_errors_ = normal_quantile(upper_tail);
  }
}

double broken_line::bridge_slope(std::size_t piece_before) const {
  const double left_end = end(piece_before);
  const double right_begin = begin(piece_before + 1);
  return (pieces_[piece_before + 1].fitted.at(right_begin) -
          pieces_[piece_before].fitted.at(left_end)) /
         (right_begin - left_end);
}

double broken_line::slope_before_gap(std::size_t piece_before) const {
  return pieces_[piece_before].is_lone_point() && piece_before > 0
             ? bridge_slope(piece_before - 1)
             : pieces_[piece_before].fitted.slope;
}

double broken_line::slope_after_gap(std::size_t piece_before) const {
  return pieces_[piece_before + 1].is_lone_point() && piece_before + 2 < pieces_.size()
             ? bridge_slope(piece_before + 1)
             : pieces_[piece_before + 1].fitted.slope;
}

double broken_line::half_width(const line& fitted, double bytes) const {
  const auto nearest = std::ranges::min_element(
      points_, {}, [&](const auto& point) { return std::abs(std::log(point.bytes / bytes)); });
  const double point_error =
      fitted.at(bytes) *
      std::max(std::sqrt(variance_) * expected_error(*nearest), nearest->relative_error);
  return standard_errors_ *
         std::hypot(point_error, std::sqrt(variance_ * fitted.variance_at(bytes)));
}

estimate broken_line::estimate_on(const segment& piece, double bytes) const {
  const double value = piece.fitted.at(bytes);
  const double reach = half_width(piece.fitted, bytes);
  return {value, std::max(0.0, value - reach), value + reach};
}

estimate broken_line::between(std::size_t piece_before, double bytes) const {
  const auto at_left_end = estimate_on(pieces_[piece_before], end(piece_before));
  const auto at_right_begin = estimate_on(pieces_[piece_before + 1], begin(piece_before + 1));
  const double slope_left = slope_before_gap(piece_before);
  const double slope_right = slope_after_gap(piece_before);
  const double bridge = bridge_slope(piece_before);
  const auto [least, most] = std::minmax(at_left_end.value, at_right_begin.value);
  const auto within = [least = least, most = most](double ns) {
    return std::clamp(ns, least, most);
  };
  const double on_left = within(at_left_end.value + slope_left * (bytes - end(piece_before)));
  const double on_right =
      within(at_right_begin.value - slope_right * (begin(piece_before + 1) - bytes));
  const double on_bridge = within(at_left_end.value + bridge * (bytes - end(piece_before)));
  const auto [lower, upper] = std::minmax(on_left, on_right);
  double value = on_bridge;
  if (slope_left < bridge && bridge < slope_right) value = upper;
  if (slope_left > bridge && bridge > slope_right) value = lower;
  // It is not known which line the size belongs to, so the interval covers both.
  const double below = std::max(1 - at_left_end.low / at_left_end.value,
                                1 - at_right_begin.low / at_right_begin.value);
  const double above =
      std::max(at_left_end.high / at_left_end.value, at_right_begin.high / at_right_begin.value) -
      1;
  return {value, std::min(value, lower) * (1 - below), std::max(value, upper) * (1 + above)};
}

estimate broken_line::at(double bytes) const {
  for (std::size_t i = 0; i + 1 < pieces_.size(); ++i) {
    if (bytes <= end(i)) return estimate_on(pieces_[i], bytes);
    if (bytes < begin(i + 1)) return between(i, bytes);
  }
  return estimate_on(pieces_.back(), bytes);
}

estimate broken_line::t0() const {
  const auto& first = pieces_.front().fitted;
  const double value = std::max(0.0, first.t0());
  const double reach = standard_errors_ * std::sqrt(variance_ * first.variance_at(0));
  return {value, std::max(0.0, value - reach), value + reach};
}

std::optional<estimate> broken_line::bandwidth() const {
  const auto& last = pieces_.back().fitted;
  if (last.slope <= 0) return std::nullopt;
  const double reach = standard_errors_ * std::sqrt(variance_ * last.slope_variance);
  const double slowest = last.slope + reach;
  const double fastest = last.slope - reach;
  return estimate{1 / last.slope, 1 / slowest,
                  fastest > 0 ? 1 / fastest : std::numeric_limits<double>::infinity()};
}

std::optional<double> broken_line::half_bandwidth_bytes() const {
  const double slope_at_half = 2 * pieces_.back().fitted.slope;
  if (slope_at_half <= 0) return std::nullopt;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const auto& fitted = pieces_[i].fitted;
    if (i == 0 && fitted.t0() <= 0) return std::nullopt;  // any size reaches it
    if (i > 0 && fitted.at(begin(i)) <= slope_at_half * begin(i)) return begin(i);
    if (fitted.slope >= slope_at_half) continue;
    const double bytes = fitted.t0() / (slope_at_half - fitted.slope);
    if (i + 1 == pieces_.size() || bytes <= end(i)) return bytes;
  }
  return std::nullopt;
}

}  // namespace bench_transfers::statistics
