#include "src/common/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace bench_transfers::common {
namespace {

/// Row by row of the usual table (Wagner, Fischer: "The string-to-string correction problem",
/// 1974).
std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < one.size(); ++i) {
    auto diagonal = row[0]++;
    for (std::size_t j = 0; j < other.size(); ++j) {
      const auto exchanged = diagonal + (one[i] == other[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({exchanged, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view wanted, const std::set<std::string>& names) {
  std::string best;
  auto least = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  for (const auto& name : names) {
    const auto [shorter, longer] = std::minmax({wanted.size(), name.size()});
    if (longer - shorter >= least) continue;  // the distance is at least that
    if (const auto now = distance(wanted, name); now < least) {
      least = now;
      best = name;
    }
  }
  return best;
}

}  // namespace bench_transfers::common
