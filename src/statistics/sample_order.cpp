#include "src/statistics/sample_order.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/statistics/distributions.hpp"

namespace bench_transfers::statistics {
namespace {

constexpr double tail = 0.025;  // of 95 %, at each end

/// In how many orders of both samples so many pairs are reversed, by this number. The last value of
/// an order is of the first sample, and reversed with all of the second, or of the second, and
/// reversed with none.
std::vector<double> count_orders(std::size_t first, std::size_t second) {
  const auto pairs = first * second;
  std::vector<std::vector<double>> counts(second + 1, std::vector<double>(pairs + 1));
  for (auto& of_second_alone : counts) of_second_alone[0] = 1;
  for (std::size_t i = 0; i < first; ++i)
    for (std::size_t j = 1; j <= second; ++j) {
      for (auto reversed = pairs; reversed >= j; --reversed)
        counts[j][reversed] = counts[j][reversed - j];
      std::fill_n(counts[j].begin(), j, 0.0);
      for (std::size_t reversed = 0; reversed <= pairs; ++reversed)
        counts[j][reversed] += counts[j - 1][reversed];
    }
  return counts.back();
}

/// Whether there are so many orders that the clearest one is hardly chance:
/// whether most_pairs_reversed() has a value, without counting all of them.
bool are_enough(std::size_t first, std::size_t second) {
  double orders = 1;
  for (std::size_t i = 1; i <= second && orders * tail < 1; ++i)
    orders *= static_cast<double>(first + i) / static_cast<double>(i);
  return orders * tail >= 1;
}

}  // namespace

std::optional<std::size_t> most_pairs_reversed(std::size_t first, std::size_t second) {
  constexpr std::size_t most_counted = 2500;  // of more pairs, the normal is close enough
  const auto pairs = first * second;
  if (pairs > most_counted) {
    const auto count = static_cast<double>(pairs);
    const auto spread = std::sqrt(count * static_cast<double>(first + second + 1) / 12);
    const auto quantile = normal_quantile(tail);
    return static_cast<std::size_t>(std::max(0.0, count / 2 + quantile * spread - 0.5));
  }
  const auto counts = count_orders(first, second);
  const auto allowed = tail * std::accumulate(counts.begin(), counts.end(), 0.0);
  double so_far = 0;
  std::size_t reversed = 0;
  while (so_far + counts[reversed] <= allowed) so_far += counts[reversed++];
  return reversed > 0 ? std::optional(reversed - 1) : std::nullopt;
}

std::optional<std::size_t> pair_limits::operator()(std::size_t first, std::size_t second) {
  const auto [entry, is_new] = known_.try_emplace({first, second});
  if (is_new) entry->second = most_pairs_reversed(first, second);
  return entry->second;
}

std::size_t pairs_reversed(const std::vector<double>& large, std::vector<double> small) {
  std::ranges::sort(small);
  std::size_t reversed = 0;
  for (const auto value : large)
    reversed += static_cast<std::size_t>(small.end() - std::ranges::lower_bound(small, value));
  return reversed;
}

bool nearly_all_larger(const std::vector<double>& large, const std::vector<double>& small) {
  return 20 * pairs_reversed(large, small) <= large.size() * small.size();
}

bool is_clearly_larger(const std::vector<double>& large, const std::vector<double>& small) {
  return are_enough(large.size(), small.size()) && nearly_all_larger(large, small);
}

}  // namespace bench_transfers::statistics
