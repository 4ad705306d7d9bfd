#include "src/statistics/levels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/statistics/quantile.hpp"
#include "src/statistics/square.hpp"

namespace bench_transfers::statistics {
namespace {

/// Of normal values: their standard deviation by the median of their distances from 0.
constexpr double deviation_of_median = 1.4826;
constexpr std::size_t least_for_curvature = 12;

}  // namespace

std::vector<std::size_t> choose_levels(std::span<const double> values, double variance,
                                       double penalty) {
  std::vector<double> sums{0}, squares{0};
  for (const double value : values) {
    sums.push_back(sums.back() + value);
    squares.push_back(squares.back() + square(value));
  }
  const auto cost_of = [&](std::size_t first, std::size_t end) {
    const double around_mean = squares[end] - squares[first] -
                               square(sums[end] - sums[first]) / static_cast<double>(end - first);
    return std::max(0.0, around_mean) / variance + penalty;
  };
  std::vector<double> least(values.size() + 1, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> first_of(values.size() + 1, 0);
  least[0] = 0;
  for (std::size_t end = 1; end <= values.size(); ++end)
    for (std::size_t first = 0; first < end; ++first)
      if (const double cost = least[first] + cost_of(first, end); cost < least[end]) {
        least[end] = cost;
        first_of[end] = first;
      }
  std::vector<std::size_t> firsts;
  for (auto end = values.size(); end > 0; end = first_of[end]) firsts.push_back(first_of[end]);
  std::ranges::reverse(firsts);
  return firsts;
}

double deviation_of_neighbours(std::span<const double> values) {
  if (values.size() < 2) return 0;
  std::vector<double> differences, curvatures;
  for (std::size_t i = 1; i < values.size(); ++i)
    differences.push_back(std::abs(values[i] - values[i - 1]) / std::sqrt(2.0));
  for (std::size_t i = 2; i < values.size(); ++i)
    curvatures.push_back(std::abs(values[i] - 2 * values[i - 1] + values[i - 2]) / std::sqrt(6.0));
  double typical = median(std::move(differences));
  if (values.size() >= least_for_curvature)
    typical = std::min(typical, median(std::move(curvatures)));
  return deviation_of_median * typical;
}

}  // namespace bench_transfers::statistics
