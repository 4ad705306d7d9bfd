#include "src/statistics/segments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace bench_transfers::statistics {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Where a value lies that was not computed exactly.
struct bounds {
  double low = -infinity, high = infinity;
};

/// The sums of a weighted line, to which a point is added in constant time (Welford 1962). What
/// fit_line makes of the same points differs by rounding, for which the bounds have room.
class running_line {
 public:
  explicit running_line(at_zero zero) : zero_(zero) {}

  void add(const measured_time& point, double weight) {
    ++count_;
    weights_ += weight;
    const double part = weight / weights_;
    const double from_x = point.bytes - x_, from_y = point.ns - y_;
    x_ += part * from_x;
    y_ += part * from_y;
    xx_ += weight * from_x * (point.bytes - x_);
    xy_ += weight * from_x * (point.ns - y_);
    yy_ += weight * from_y * (point.ns - y_);
    xx_of_zero_ += weight * point.bytes * point.bytes;
    xy_of_zero_ += weight * point.bytes * point.ns;
    yy_of_zero_ += weight * point.ns * point.ns;
  }

  /// Of the squared residuals, and of `penalty` for each coefficient and the beginning.
  struct result {
    bounds chi_squared, cost;
  };

  [[nodiscard]] result costs(double penalty) const {
    if (count_ == 1) return {{0, 0}, {2 * penalty, 2 * penalty}};
    const double rounding =
        32 * std::numeric_limits<double>::epsilon() * static_cast<double>(count_);
    const double error_of_xy = rounding * std::sqrt(xx_of_zero_ * yy_of_zero_);
    const double slope = xy_ / xx_;
    const double explained = slope * xy_;
    const double chi_of_line = yy_ - explained;
    const double error =
        rounding * (yy_of_zero_ + std::sqrt(yy_ * yy_of_zero_ * (xx_of_zero_ / xx_)));
    result both;
    bool is_first = true;
    const auto may_be = [&](double chi_squared, int coefficients) {
      const bounds chi{chi_squared - error, chi_squared + error};
      const double added = penalty * (coefficients + 1);
      if (is_first) both = {chi, {chi.low + added, chi.high + added}};
      both.chi_squared = {std::min(both.chi_squared.low, chi.low),
                          std::max(both.chi_squared.high, chi.high)};
      both.cost = {std::min(both.cost.low, chi.low + added),
                   std::max(both.cost.high, chi.high + added)};
      is_first = false;
    };
    if (xy_ < error_of_xy) may_be(yy_, 1);
    if (!(xy_ < -error_of_xy)) {
      const double at_origin = y_ - slope * x_;
      const double error_at_origin = rounding * (y_ + slope * x_) + x_ * error_of_xy / xx_;
      const bool may_be_negative = zero_ == at_zero::not_negative && at_origin < error_at_origin;
      if (may_be_negative) may_be(yy_of_zero_ - xy_of_zero_ * xy_of_zero_ / xx_of_zero_, 1);
      if (!may_be_negative || !(at_origin < -error_at_origin)) may_be(chi_of_line, 2);
    }
    return both;
  }

 private:
  at_zero zero_;
  std::size_t count_ = 0;
  double weights_ = 0, x_ = 0, y_ = 0, xx_ = 0, xy_ = 0, yy_ = 0;
  double xx_of_zero_ = 0, xy_of_zero_ = 0, yy_of_zero_ = 0;
};

/// Chooses by bounds in constant time for each segment; only where these leave several first points
/// does it fit lines, and then takes what fitting all of them would.
class chooser {
 public:
  chooser(std::span<const measured_time> points, segment_work& work)
      : points_(points),
        work_(work),
        penalty_(std::log(static_cast<double>(points.size()))),
        ends_(points.size() + 1) {
    ends_[0].cost = {0, 0};
    ends_[0].exact_cost = 0;
  }

  std::vector<segment> choose() {
    for (std::size_t end = 1; end <= points_.size(); ++end) {
      extend(end);
      decide(end);
      leave_worse(end);
    }
    std::vector<segment> chosen;
    for (auto end = points_.size(); end > 0; end = ends_[end].first)
      chosen.push_back({ends_[end].first, end - 1, line_before(end)});
    std::ranges::reverse(chosen);
    return chosen;
  }

 private:
  /// A segment that ends where the choice has come to.
  struct tried_segment {
    std::size_t first;
    running_line running;
    bounds cost = {};            ///< with all segments before
    double without_penalty = 0;  ///< at least
  };

  /// The best segments of the points before one.
  struct best_segments {
    bounds cost;
    std::size_t first = 0;  ///< of the last segment
    bool has_line = true;   ///< without a line of finite cost there is none
    std::optional<double> exact_cost;
  };

  [[nodiscard]] static at_zero zero_of(std::size_t first) {
    return first == 0 ? at_zero::not_negative : at_zero::anything;
  }

  [[nodiscard]] line fit(std::size_t first, std::size_t end) const {
    work_.fitted += end - first;
    return fit_line(points_.subspan(first, end - first), zero_of(first));
  }

  [[nodiscard]] line line_before(std::size_t end) const {
    return ends_[end].has_line ? fit(ends_[end].first, end) : line();
  }

  [[nodiscard]] double exact_cost(double before, const line& fitted) const {
    const int parameters = fitted.coefficients + 1;
    return before + fitted.chi_squared + penalty_ * parameters;
  }

  /// Not by recursion: there may be as many segments as points.
  double exact_cost(std::size_t end) {
    std::vector<std::size_t> unknown;
    for (auto known = end; !ends_[known].exact_cost; known = ends_[known].first)
      unknown.push_back(known);
    for (; !unknown.empty(); unknown.pop_back()) {
      auto& best = ends_[unknown.back()];
      best.exact_cost = exact_cost(*ends_[best.first].exact_cost, fit(best.first, unknown.back()));
    }
    return *ends_[end].exact_cost;
  }

  void extend(std::size_t end) {
    const auto& point = points_[end - 1];
    tried_.push_back({end - 1, running_line(zero_of(end - 1))});
    for (auto& tried : tried_) {
      ++work_.estimated;
      tried.running.add(point, weight(point));
      const auto [chi_squared, cost] = tried.running.costs(penalty_);
      const auto& before = ends_[tried.first].cost;
      tried.cost = {before.low + cost.low, before.high + cost.high};
      tried.without_penalty = before.low + chi_squared.low;
    }
  }

  void decide(std::size_t end) {
    auto& best = ends_[end];
    for (const auto& tried : tried_) best.cost.high = std::min(best.cost.high, tried.cost.high);
    std::vector<const tried_segment*> candidates;
    for (const auto& tried : tried_)
      if (!(tried.cost.low > best.cost.high)) candidates.push_back(&tried);
    if (candidates.size() == 1 && std::isfinite(best.cost.high)) {
      best.first = candidates.front()->first;
      best.cost = candidates.front()->cost;
      return;
    }
    double least = infinity;
    best.has_line = false;
    for (const auto* tried : candidates) {
      const double cost = exact_cost(exact_cost(tried->first), fit(tried->first, end));
      if (!(cost < least)) continue;
      least = cost;
      best.first = tried->first;
      best.has_line = true;
    }
    best.exact_cost = least;
    best.cost = {least, least};
  }

  /// Tries no longer what cannot become better than ending here (Killick 2012): with more points
  /// its residuals cannot become less than those of both parts, and to part costs one coefficient
  /// more at most. The rest of the second penalty is room for rounding.
  void leave_worse(std::size_t end) {
    const double most = ends_[end].cost.high + 2 * penalty_;
    std::erase_if(tried_, [&](const auto& tried) { return tried.without_penalty > most; });
  }

  std::span<const measured_time> points_;
  segment_work& work_;
  double penalty_;
  std::vector<best_segments> ends_;
  std::vector<tried_segment> tried_;  // by their first points
};

}  // namespace

std::vector<segment> choose_segments(std::span<const measured_time> points, segment_work* work) {
  segment_work uncounted;
  return chooser(points, work == nullptr ? uncounted : *work).choose();
}

}  // namespace bench_transfers::statistics
