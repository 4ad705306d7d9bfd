#include "src/statistics/location.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "src/statistics/quantile.hpp"

namespace bench_transfers::statistics {
namespace {

constexpr std::size_t most_for_median = 4;

}  // namespace

double location(std::vector<double> values) {
  if (values.size() <= most_for_median) return median(std::move(values));
  std::vector<double> means;
  means.reserve(values.size() * (values.size() + 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = i; j < values.size(); ++j) means.push_back((values[i] + values[j]) / 2);
  return median(std::move(means));
}

double location_variance(std::size_t values) {
  // Exact for medians of few values (Sarhan and Greenberg 1962, table 10C.1).
  constexpr std::array<double, most_for_median + 1> of_median{0, 1, 0.5, 0.4487, 0.2982};
  if (values == 0) throw std::invalid_argument("no values have no variance");
  if (values <= most_for_median) return of_median[values];
  constexpr double inefficiency = 1.06;  // pi / 3 for many values, a little more for five
  return inefficiency / static_cast<double>(values);
}

}  // namespace bench_transfers::statistics
