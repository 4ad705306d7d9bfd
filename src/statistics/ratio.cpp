#include "src/statistics/ratio.hpp"

#include <algorithm>

namespace bench_transfers::statistics {

ratio ratio_of(const std::vector<double>& first, const std::vector<double>& second,
               pair_limits& limits) {
  const auto value = median(first) / median(second);
  const auto outside = limits(first.size(), second.size());
  if (!outside) return {value};
  std::vector<double> ratios;
  for (const auto of_first : first)
    for (const auto of_second : second) ratios.push_back(of_first / of_second);
  std::ranges::sort(ratios);
  return {value, interval{std::min(ratios[*outside], value),
                          std::max(ratios[ratios.size() - 1 - *outside], value)}};
}

}  // namespace bench_transfers::statistics
