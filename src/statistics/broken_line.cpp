#include "src/statistics/broken_line.hpp"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>

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

double squared(double value) { return value * value; }

}  // namespace

broken_line::broken_line(std::vector<measured_time> points) : points_(checked(std::move(points))) {
  choose_pieces();
  tilt_lone_ends();
  estimate_scatter();
}

void broken_line::choose_pieces() {
  const auto count = points_.size();
  const double penalty = std::log(static_cast<double>(count));
  struct choice {
    double cost = std::numeric_limits<double>::infinity();
    std::size_t first = 0;
    line fitted;
  };
  std::vector<choice> best(count + 1);  // for the first so many points
  best[0].cost = 0;
  for (std::size_t end = 1; end <= count; ++end)
    for (std::size_t first = 0; first < end; ++first) {
      const auto fitted = fit_line(std::span(points_).subspan(first, end - first),
                                   first == 0 ? at_zero::not_negative : at_zero::anything);
      const int parameters = fitted.coefficients + 1;
      const double cost = best[first].cost + fitted.chi_squared + penalty * parameters;
      if (cost < best[end].cost) best[end] = {cost, first, fitted};
    }
  for (std::size_t end = count; end > 0; end = best[end].first)
    pieces_.push_back({best[end].first, end - 1, best[end].fitted});
  std::ranges::reverse(pieces_);
}

/// A point that shares a line with no other has no slope of its own. At either end it takes the
/// bridge's, so that sizes beyond it can be answered.
void broken_line::tilt_lone_ends() {
  if (pieces_.size() < 2) return;
  const auto tilt = [&](piece& one, std::size_t left, double most) {
    if (!one.is_lone_point()) return;
    const auto& point = points_[one.first];
    const auto& other = points_[&one == &pieces_.front() ? one.first + 1 : one.first - 1];
    one.fitted.centre = point.bytes;
    one.fitted.slope = std::clamp(bridge_slope(left), 0.0, most);
    one.fitted.slope_variance =
        (squared(point.ns * expected_error(point)) + squared(other.ns * expected_error(other))) /
        squared(point.bytes - other.bytes);
  };
  const auto& smallest = points_.front();
  const double through_origin = smallest.ns / smallest.bytes;
  tilt(pieces_.front(), 0, through_origin);
  tilt(pieces_.back(), pieces_.size() - 2, std::numeric_limits<double>::infinity());
}

void broken_line::estimate_scatter() {
  double chi_squared = 0;
  int coefficients = 0;
  for (const auto& one : pieces_) {
    chi_squared += one.fitted.chi_squared;
    coefficients += one.fitted.coefficients;
  }
  const auto freedom = static_cast<int>(points_.size()) - coefficients;
  if (freedom > 0) {
    variance_ = chi_squared / freedom;
    standard_errors_ =
        boost::math::quantile(boost::math::students_t_distribution<double>(freedom), upper_tail);
  } else {  // no residuals: the points' own errors must do
    standard_errors_ =
        boost::math::quantile(boost::math::normal_distribution<double>(), upper_tail);
  }
}

double broken_line::bridge_slope(std::size_t left) const {
  const double from = end(left);
  const double to = begin(left + 1);
  return (pieces_[left + 1].at(to) - pieces_[left].at(from)) / (to - from);
}

double broken_line::slope_before_gap(std::size_t left) const {
  return pieces_[left].is_lone_point() && left > 0 ? bridge_slope(left - 1)
                                                   : pieces_[left].fitted.slope;
}

double broken_line::slope_after_gap(std::size_t left) const {
  return pieces_[left + 1].is_lone_point() && left + 2 < pieces_.size()
             ? bridge_slope(left + 1)
             : pieces_[left + 1].fitted.slope;
}

double broken_line::half_width(const line& by, double bytes) const {
  const auto nearest = std::ranges::min_element(
      points_, {}, [&](const auto& point) { return std::abs(std::log(point.bytes / bytes)); });
  const double of_point = by.at(bytes) * std::max(std::sqrt(variance_) * expected_error(*nearest),
                                                  nearest->relative_error);
  return standard_errors_ * std::hypot(of_point, std::sqrt(variance_ * by.variance_at(bytes)));
}

estimate broken_line::on(const piece& one, double bytes) const {
  const double value = one.at(bytes);
  const double reach = half_width(one.fitted, bytes);
  return {value, std::max(0.0, value - reach), value + reach};
}

estimate broken_line::between(std::size_t left, double bytes) const {
  const auto from = on(pieces_[left], end(left));
  const auto to = on(pieces_[left + 1], begin(left + 1));
  const double slope_left = slope_before_gap(left);
  const double slope_right = slope_after_gap(left);
  const double bridge = bridge_slope(left);
  const auto [least, most] = std::minmax(from.value, to.value);
  const auto within = [least = least, most = most](double ns) {
    return std::clamp(ns, least, most);
  };
  const double on_left = within(from.value + slope_left * (bytes - end(left)));
  const double on_right = within(to.value - slope_right * (begin(left + 1) - bytes));
  const double on_bridge = within(from.value + bridge * (bytes - end(left)));
  const auto [lower, upper] = std::minmax(on_left, on_right);
  double value = on_bridge;
  if (slope_left < bridge && bridge < slope_right) value = upper;
  if (slope_left > bridge && bridge > slope_right) value = lower;
  // Whichever line the size belongs to, it is not known.
  const double below = std::max(1 - from.low / from.value, 1 - to.low / to.value);
  const double above = std::max(from.high / from.value, to.high / to.value) - 1;
  return {value, std::min(value, lower) * (1 - below), std::max(value, upper) * (1 + above)};
}

estimate broken_line::at(double bytes) const {
  for (std::size_t i = 0; i + 1 < pieces_.size(); ++i) {
    if (bytes <= end(i)) return on(pieces_[i], bytes);
    if (bytes < begin(i + 1)) return between(i, bytes);
  }
  return on(pieces_.back(), bytes);
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
  const auto& last = pieces_.back().fitted;
  if (last.slope <= 0 || last.t0() <= 0) return std::nullopt;
  return last.t0() / last.slope;
}

}  // namespace bench_transfers::statistics
