#include "src/statistics/rank_test.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace bench_transfers::statistics {
namespace {

/// Ranks, counted from 1; equal values share their mean rank. Doubled, so that they are whole.
std::vector<std::size_t> doubled_ranks(const std::vector<double>& values) {
  auto ascending = values;
  std::ranges::sort(ascending);
  std::vector<std::size_t> ranks;
  for (const double value : values) {
    const auto [first, last] = std::equal_range(ascending.begin(), ascending.end(), value);
    const auto below = static_cast<std::size_t>(first - ascending.begin());
    const auto up_to = static_cast<std::size_t>(last - ascending.begin());
    ranks.push_back(below + 1 + up_to);
  }
  return ranks;
}

}  // namespace

double rank_test(const std::vector<double>& before, const std::vector<double>& after) {
  if (before.empty() || after.empty())
    throw std::invalid_argument("a rank test needs values on both sides");
  auto values = after;
  values.insert(values.end(), before.begin(), before.end());
  const auto ranks = doubled_ranks(values);
  std::size_t observed = 0;
  std::size_t most = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    most += ranks[i];
    if (i < after.size()) observed += ranks[i];
  }
  // choices[count][sum]: how many choices of `count` values have this sum of ranks. Doubles have a
  // larger range than integers.
  std::vector<std::vector<double>> choices(after.size() + 1, std::vector<double>(most + 1));
  choices[0][0] = 1;
  for (const auto rank : ranks)
    for (std::size_t count = after.size(); count > 0; --count)
      for (std::size_t sum = most; sum >= rank; --sum)
        choices[count][sum] += choices[count - 1][sum - rank];
  double all_choices = 0;
  double as_high = 0;
  for (std::size_t sum = 0; sum <= most; ++sum) {
    all_choices += choices.back()[sum];
    if (sum >= observed) as_high += choices.back()[sum];
  }
  return as_high / all_choices;
}

}  // namespace bench_transfers::statistics
