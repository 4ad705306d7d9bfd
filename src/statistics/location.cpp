#include "src/statistics/location.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <stdexcept>

#include "src/statistics/quantile.hpp"

namespace bench_transfers::statistics {
namespace {

constexpr std::size_t most_for_median = 4;

/// More values have too many pairs to look at each of them.
constexpr std::size_t most_for_all_means = 64;

/// Numbers in the order of their places, and back: there is none between neighbours.
std::int64_t place_of(double value) {
  const auto bits = std::bit_cast<std::int64_t>(value);
  return bits < 0 ? bits ^ std::numeric_limits<std::int64_t>::max() : bits;
}
double at_place(std::int64_t place) {
  return std::bit_cast<double>(place < 0 ? place ^ std::numeric_limits<std::int64_t>::max()
                                         : place);
}

/// The means of all pairs of ascending values, each value with itself, too; in order.
class means_of_pairs {
 public:
  explicit means_of_pairs(std::span<const double> ascending) : values_(ascending) {}

  [[nodiscard]] double median() const {
    const double position = static_cast<double>(values_.size() * (values_.size() + 1) / 2 - 1) / 2;
    const auto below = static_cast<std::size_t>(position);
    const bool is_between = static_cast<double>(below) != position;
    return is_between ? std::lerp(nth(below), nth(below + 1), 0.5) : nth(below);
  }

 private:
  [[nodiscard]] double mean(std::size_t i, std::size_t j) const {
    return (values_[i] + values_[j]) / 2;
  }

  /// Means up to a limit, in as many steps as there are values.
  [[nodiscard]] std::size_t count_up_to(double limit) const {
    std::size_t count = 0;
    auto end = values_.size();
    for (std::size_t i = 0; i < end; ++i) {
      while (end > i && mean(i, end - 1) > limit) --end;
      count += end - i;
    }
    return count;
  }

  /// The least number that has more than n means up to it.
  [[nodiscard]] double nth(std::size_t n) const {
    auto low = place_of(values_.front()), high = place_of(values_.back());
    while (low < high) {
      const auto middle = std::midpoint(low, high);
      if (count_up_to(at_place(middle)) > n)
        high = middle;
      else
        low = middle + 1;
    }
    return at_place(low);
  }

  std::span<const double> values_;
};

}  // namespace

double location(std::vector<double> values) {
  if (values.size() <= most_for_median) return median(std::move(values));
  if (values.size() > most_for_all_means) {
    std::ranges::sort(values);
    return means_of_pairs(values).median();
  }
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
