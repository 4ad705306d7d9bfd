#include "src/advice/small_transfers.hpp"

#include <algorithm>
#include <cmath>

#include "src/statistics/quantile.hpp"
#include "src/statistics/sample_order.hpp"

namespace bench_transfers::advice {
small_transfers::small_transfers(const std::map<std::string, const repetitions*>& strategies,
                                 const std::string& baseline)
    : baseline_(baseline) {
  using statistics::median;
  statistics::pair_limits most_reversed;
  const auto& plain = *strategies.at(baseline);
  for (const auto& [name, measured] : strategies)
    for (const auto& [bytes, times] : *measured) {
      const auto at_size = plain.find(bytes);
      if (bytes > largest_small_transfer || at_size == plain.end()) continue;
      const auto& of_plain = at_size->second;
      const auto limit = most_reversed(of_plain.size(), times.size());
      if (!limit) continue;
      const auto factor = median(of_plain) / median(times);
      const auto reversed = statistics::pairs_reversed(of_plain, times);
      const bool nearly_all_agree = 20 * reversed <= of_plain.size() * times.size();
      gains_[name][bytes] = factor <= alike ? gain::none
                            : reversed <= *limit && (factor > most_apart || nearly_all_agree)
                                ? gain::clear
                                : gain::hidden;
    }
}

std::optional<bool> small_transfers::is_faster(const std::string& strategy, double bytes) const {
  const auto found = gains_.find(strategy);
  if (bytes > largest_small_transfer || found == gains_.end()) return std::nullopt;
  const auto& sizes = found->second;
  const auto next = std::ranges::min_element(
      sizes, {}, [&](const auto& size) { return std::abs(std::log(size.first / bytes)); });
  if (next->second != gain::hidden) return next->second == gain::clear;
  const auto clear =
      std::ranges::count(sizes, gain::clear, [](const auto& size) { return size.second; });
  return 2 * static_cast<std::size_t>(clear) > sizes.size();
}

}  // namespace bench_transfers::advice
