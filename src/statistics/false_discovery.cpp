#include "src/statistics/false_discovery.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace bench_transfers::statistics {

std::vector<double> discovery_adjusted(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> adjusted(p.size());
  double least = 1;
  for (auto rank = p.size(); rank > 0; --rank) {
    const auto index = order[rank - 1];
    least = std::min(least, p[index] * static_cast<double>(p.size()) / static_cast<double>(rank));
    adjusted[index] = least;
  }
  return adjusted;
}

}  // namespace bench_transfers::statistics
