#include "src/common/nearest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace bench_transfers::common {
namespace {

/// Row by row of the usual table (Wagner, Fischer: "The string-to-string correction problem",
/// 1974).
std::size_t distance(std::string_view lhs, std::string_view rhs) {
  std::vector<std::size_t> row(rhs.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < lhs.size(); ++i) {
    auto diagonal = row[0]++;
    for (std::size_t j = 0; j < rhs.size(); ++j) {
      const auto exchanged = diagonal + (lhs[i] == rhs[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({exchanged, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view name, const std::set<std::string>& names) {
  std::string best;
  auto least = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const auto& candidate : names) {
    const auto [shorter, longer] = std::minmax({name.size(), candidate.size()});
    if (longer - shorter >= least) continue;  // the distance is at least the difference in length
    if (const auto edits = distance(name, candidate); edits < least) {
      least = edits;
      best = candidate;
    }
  }
  return best;
}

}  // namespace bench_transfers::common
