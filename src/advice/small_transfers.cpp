#include "src/advice/small_transfers.hpp"

#include <algorithm>

#include "src/statistics/quantile.hpp"
#include "src/statistics/sample_order.hpp"

namespace bench_transfers::advice {
namespace {

using statistics::median;
using times = std::vector<double>;

bool is_clearly_larger(const times& large, const times& small) {
  const auto most_reversed = statistics::most_pairs_reversed(large.size(), small.size());
  return median(large) > median(small) && most_reversed &&
         statistics::pairs_reversed(large, small) <= *most_reversed;
}

/// As as_good() decides, from repetitions: 19 of 20 pairs must agree.
bool is_as_good(const times& baseline, const times& fastest) {
  const auto part = median(baseline) / median(fastest);
  const auto pairs = baseline.size() * fastest.size();
  const bool is_slower = statistics::most_pairs_reversed(baseline.size(), fastest.size()) &&
                         20 * statistics::pairs_reversed(baseline, fastest) <= pairs;
  return part <= alike || (part <= most_apart && !is_slower);
}

}  // namespace

small_transfers::small_transfers(const std::map<std::string, const repetitions*>& strategies,
                                 const std::string& baseline)
    : baseline_(baseline) {
  for (const auto& [bytes, plain] : *strategies.at(baseline)) {
    if (bytes > largest_small_transfer ||
        !statistics::most_pairs_reversed(plain.size(), plain.size()))
      continue;
    at_size found;
    const auto* fastest = &plain;
    for (const auto& [name, measured] : strategies) {
      const auto size = measured->find(bytes);
      if (size == measured->end()) continue;
      if (is_clearly_larger(plain, size->second)) found.clearly_faster.insert(name);
      if (median(size->second) < median(*fastest)) fastest = &size->second;
    }
    found.baseline_is_as_good = is_as_good(plain, *fastest);
    sizes_.emplace(bytes, std::move(found));
  }
}

std::optional<bool> small_transfers::is_faster(const std::string& strategy, double bytes) const {
  if (bytes > largest_small_transfer || sizes_.empty()) return std::nullopt;
  const auto here = sizes_.find(bytes);
  if (here != sizes_.end() && here->second.baseline_is_as_good) return false;
  if (here != sizes_.end() && here->second.clearly_faster.contains(strategy)) return true;
  const auto clear = std::ranges::count_if(
      sizes_, [&](const auto& size) { return size.second.clearly_faster.contains(strategy); });
  return 2 * static_cast<std::size_t>(clear) > sizes_.size();
}

}  // namespace bench_transfers::advice
