#include <algorithm>

#include "src/advice/ranking.hpp"

// What to choose from a ranking.

namespace bench_transfers::advice {

std::vector<const ranked_strategy*> statistically_tied(const ranking& ranked) {
  std::vector<const ranked_strategy*> tied;
  for (const auto& strategy : ranked.strategies)
    if (sign_of(strategy.behind) <= 0) tied.push_back(&strategy);
  return tied;
}

namespace {

/// Those that their times alone tell to be as good.
std::vector<const ranked_strategy*> as_good_by_time(const ranking& ranked) {
  // Differences below 3 % are run-to-run noise and do not justify another option.
  const auto& fastest = ranked.strategies.front();
  std::vector<const ranked_strategy*> good;
  for (const auto& strategy : ranked.strategies) {
    const auto part = strategy.total.value / fastest.total.value;
    const bool is_slower = fastest.can_tell && strategy.can_tell && sign_of(strategy.behind) > 0;
    if (part <= alike || (part <= most_apart && !is_slower)) good.push_back(&strategy);
  }
  return good;
}

const ranked_strategy& plainest(const std::vector<const ranked_strategy*>& strategies) {
  return **std::ranges::min_element(
      strategies, {}, [](const ranked_strategy* strategy) { return strategy->plainness; });
}

/// The baseline, if none of those that are as good is better by more than a gain that repetitions
/// do not confirm; else null. What memory costs may be the reason for another strategy.
const ranked_strategy* baseline_as_good_as(const std::vector<const ranked_strategy*>& good,
                                           const ranking& ranked) {
  if (!std::ranges::all_of(
          good, [](const ranked_strategy* strategy) { return strategy->gain_confirmed == false; }))
    return nullptr;
  const auto& baseline =
      *std::ranges::find(ranked.strategies, ranked.baseline.value(), &ranked_strategy::name);
  const auto& fastest = *good.front();
  const auto without_gain = baseline.total.value - baseline.transfer.value + fastest.transfer.value;
  return without_gain <= alike * fastest.total.value ? &baseline : nullptr;
}

}  // namespace

std::vector<const ranked_strategy*> as_good(const ranking& ranked) {
  auto good = as_good_by_time(ranked);
  const auto* const baseline = baseline_as_good_as(good, ranked);
  if (baseline == nullptr) return good;
  const auto slowest = std::max(baseline->total.value, good.back()->total.value);
  good.clear();
  for (const auto& strategy : ranked.strategies)
    if (strategy.total.value <= slowest) good.push_back(&strategy);
  return good;
}

const ranked_strategy& recommended(const ranking& ranked) { return plainest(as_good(ranked)); }

double uncertainty_of(const ranked_strategy& ranked) {
  const auto& total = ranked.total;
  return std::max(total.high - total.value, total.value - total.low) / total.value;
}

std::optional<double> reason_not_to_recommend(const ranking& ranked) {
  constexpr double all_of_it = 1;
  const auto part = uncertainty_of(recommended(ranked));
  if (part < all_of_it || statistically_tied(ranked).size() < 2) return std::nullopt;
  return part;
}

std::vector<std::size_t> sizes_to_measure(const question& question) {
  constexpr std::size_t step = 4;  // sizes are its multiples
  const auto bytes = static_cast<std::size_t>(question.bytes);
  std::vector<std::size_t> sizes;
  for (const auto size : {bytes / 2, bytes, 2 * bytes})
    sizes.push_back(std::max(step, size / step * step));
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

}  // namespace bench_transfers::advice
