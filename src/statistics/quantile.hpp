#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace bench_transfers::statistics {

/// Quantile `p` in [0, 1] of values in ascending order, interpolated linearly between order
/// statistics (type 7 of Hyndman and Fan, "Sample Quantiles in Statistical Packages", 1996; the
/// default of R and NumPy). Throws std::invalid_argument when there are no values.
double quantile(std::span<const double> ascending, double p);

/// How many values tell a quantile beyond the median: five are then expected beyond it, 5 / (1 - p)
/// values for p > 0.5. Of fewer, it is mainly the largest value.
std::size_t least_values(double p);

/// The quantile, if there are enough values to tell it.
std::optional<double> told_quantile(std::span<const double> ascending, double p);

/// Summary of the samples of a repetition, in the unit of the values. Percentiles are there if the
/// samples tell them.
struct distribution {
  double min, median, max, mean;
  std::optional<double> p5, p95, p99, p999;
};

/// Throws std::invalid_argument when there are no values.
distribution summarize(std::vector<double> values);

double median(std::vector<double> values);

struct interval {
  double low, high;
};

/// The two values that enclose the median of the population with a probability of at least
/// `confidence`, for any distribution (order statistics; Hahn and Meeker, "Statistical
/// Intervals", section 5.2). The smallest and largest value if there are too few.
/// Throws std::invalid_argument if there are no values.
interval interval_of_median(std::vector<double> values, double confidence);

}  // namespace bench_transfers::statistics
