#pragma once

#include <optional>
#include <vector>

#include "src/statistics/estimate.hpp"
#include "src/statistics/line.hpp"
#include "src/statistics/segments.hpp"

namespace bench_transfers::statistics {

/// Time as a function of size: a chain of as many lines t0 + bytes / bandwidth as the data require.
/// Dynamic programming decides which sizes share a line: the sum of squared weighted
/// residuals plus, for each line, ln(number of sizes) for every coefficient and for its beginning
/// (the Bayesian information criterion, Schwarz 1978) is as small as it can be. Between
/// the last size of one line and the first of the next, the lines extend to where they meet. If
/// they do not meet there (time jumps up or down, because a driver has several ways to copy), a
/// straight bridge spans the gap.
class broken_line {
 public:
  /// Two sizes or more, in any order. Throws std::invalid_argument, with one line, if there are
  /// fewer, if a size occurs twice, or if a size or time is not a positive number.
  explicit broken_line(std::vector<measured_time> points);

  /// Predicted time of a measurement of this size, in ns. The interval is Student's, from the
  /// residuals of all lines; between two lines it also covers both of them.
  [[nodiscard]] estimate at(double bytes) const;

  /// Time at size 0 on the first line: the cost of the smallest operation, in ns.
  [[nodiscard]] estimate t0() const;
  /// Bandwidth of the last line, for large sizes, in bytes per ns (GB/s). None if time does not
  /// grow.
  [[nodiscard]] std::optional<estimate> bandwidth() const;
  /// n½: the smallest size that reaches half of the bandwidth of the last line; of a single line,
  /// t0 × bandwidth (Hockney 1985). Between two lines it is the beginning of the second. None if
  /// time does not grow, or the first line does not begin above zero.
  [[nodiscard]] std::optional<double> half_bandwidth_bytes() const;

  [[nodiscard]] double smallest() const { return points_.front().bytes; }
  [[nodiscard]] double largest() const { return points_.back().bytes; }
  [[nodiscard]] std::size_t lines() const { return pieces_.size(); }

 private:
  void tilt_lone_ends();
  void estimate_scatter();
  [[nodiscard]] double begin(std::size_t i) const { return points_[pieces_[i].first].bytes; }
  [[nodiscard]] double end(std::size_t i) const { return points_[pieces_[i].last].bytes; }
  [[nodiscard]] double bridge_slope(std::size_t piece_before) const;
  [[nodiscard]] double slope_before_gap(std::size_t piece_before) const;
  [[nodiscard]] double slope_after_gap(std::size_t piece_before) const;
  [[nodiscard]] double half_width(const line& fitted, double bytes) const;
  [[nodiscard]] estimate estimate_on(const segment& piece, double bytes) const;
  [[nodiscard]] estimate between(std::size_t piece_before, double bytes) const;

  std::vector<measured_time> points_;  // by size
  std::vector<segment> pieces_;
  double variance_ = 1;     // of a point of weight 1
  double standard_errors_;  // in half of a 95 % interval
};

}  // namespace bench_transfers::statistics
