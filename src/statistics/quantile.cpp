#include "src/statistics/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace bench_transfers::statistics {

double quantile(std::span<const double> ascending, double p) {
  if (ascending.empty()) throw std::invalid_argument("a quantile needs at least one value");
  const double position = p * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const auto above = std::min(below + 1, ascending.size() - 1);
  return std::lerp(ascending[below], ascending[above], position - std::floor(position));
}

std::size_t least_values(double p) {
  constexpr double beyond = 5;
  return static_cast<std::size_t>(std::lround(beyond / std::min(p, 1 - p)));
}

std::optional<double> told_quantile(std::span<const double> ascending, double p) {
  return ascending.size() < least_values(p) ? std::nullopt : std::optional(quantile(ascending, p));
}

distribution summarize(std::vector<double> values) {
  std::ranges::sort(values);
  return {.min = quantile(values, 0),
          .median = quantile(values, 0.5),
          .max = quantile(values, 1),
          .mean = std::reduce(values.begin(), values.end()) / static_cast<double>(values.size()),
          .p5 = told_quantile(values, 0.05),
          .p95 = told_quantile(values, 0.95),
          .p99 = told_quantile(values, 0.99),
          .p999 = told_quantile(values, 0.999)};
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return quantile(values, 0.5);
}

interval interval_of_median(std::vector<double> values, double confidence) {
  if (values.empty()) throw std::invalid_argument("an interval needs at least one value");
  std::ranges::sort(values);
  // The median lies outside of the k-th value from either end if fewer than k values are on one
  // side of it; each value is on either side with a probability of one half.
  const auto n = values.size();
  double outside = 0;
  // Logarithm of the probability of exactly k values, because 2⁻ⁿ underflows for about a thousand
  // values.
  double logarithm = static_cast<double>(n) * std::log(0.5);
  std::size_t k = 0;
  while (2 * k + 1 < n && 2 * (outside + std::exp(logarithm)) <= 1 - confidence) {
    outside += std::exp(logarithm);
    logarithm += std::log(static_cast<double>(n - k) / static_cast<double>(k + 1));
    ++k;
  }
  const auto first = k == 0 ? 0 : k - 1;
  return {values[first], values[n - 1 - first]};
}

}  // namespace bench_transfers::statistics
