#include "src/statistics/holm.hpp"

#include <algorithm>
#include <numeric>

namespace bench_transfers::statistics {

std::vector<double> holm_adjusted(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> adjusted(p.size());
  double so_far = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto tests_left = static_cast<double>(p.size() - rank);
    so_far = std::max(so_far, std::min(1.0, p[order[rank]] * tests_left));
    adjusted[order[rank]] = so_far;
  }
  return adjusted;
}

}  // namespace bench_transfers::statistics
