#include "src/statistics/modes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "src/statistics/quantile.hpp"
#include "src/statistics/square.hpp"

namespace bench_transfers::statistics {
namespace {

constexpr std::size_t least_values_for_modes = 6;
constexpr double least_ratio = 1.05;

/// The least gap, in standard deviations within the groups, that is found in 1 % of normal values:
/// 7.6 of 6, 4.3 of 9, 1.8 of 20 (simulated, tests/unit/statistics/modes_test.cpp).
double least_gap(std::size_t values) { return 45 / static_cast<double>(values); }

double squares_around_mean(std::span<const double> values) {
  const double mean =
      std::reduce(values.begin(), values.end()) / static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values) squares += square(value - mean);
  return squares;
}

mode mode_of(std::span<const double> ascending) {
  return {quantile(ascending, 0.5), ascending.size()};
}

}  // namespace

std::optional<two_modes> two_modes_of(std::vector<double> values) {
  const auto count = values.size();
  if (count < least_values_for_modes) return std::nullopt;
  std::ranges::sort(values);
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  const auto least = std::max<std::size_t>(2, count / 5);
  const auto gap_before = [&](std::size_t place) { return logs[place] - logs[place - 1]; };
  auto split = least;
  for (auto place = least; place <= count - least; ++place)
    if (gap_before(place) > gap_before(split)) split = place;
  const std::span all(logs);
  const double within =
      std::sqrt((squares_around_mean(all.first(split)) + squares_around_mean(all.subspan(split))) /
                static_cast<double>(count - 2));
  if (gap_before(split) <= std::max(std::log(least_ratio), least_gap(count) * within))
    return std::nullopt;
  const std::span ascending(values);
  return two_modes{mode_of(ascending.first(split)), mode_of(ascending.subspan(split))};
}

}  // namespace bench_transfers::statistics
