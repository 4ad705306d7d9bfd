#include "statistics/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace statistics {

double quantile(std::span<const double> ascending, double p) {
  if (ascending.empty()) throw std::invalid_argument("a quantile needs at least one value");
  const double position = p * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const auto above = std::min(below + 1, ascending.size() - 1);
  return std::lerp(ascending[below], ascending[above], position - std::floor(position));
}

distribution summarize(std::vector<double> values) {
  std::ranges::sort(values);
  const auto at = [&](double p) { return quantile(values, p); };
  return {at(0),   at(0.05),
          at(0.5), at(0.95),
          at(1),   std::reduce(values.begin(), values.end()) / static_cast<double>(values.size())};
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return quantile(values, 0.5);
}

}  // namespace statistics
