#include "src/fleet/launcher/node_numbering.hpp"

#include <algorithm>

namespace bench_transfers::fleet {

bool is_rank_of_node(std::size_t rank, std::size_t local_rank,
                     std::span<const std::optional<std::size_t>> known,
                     std::optional<std::size_t> world_size) {
  if (local_rank >= known.size()) return false;
  if (known[local_rank]) return *known[local_rank] == rank;
  const auto fits = [&](std::size_t step, std::size_t tried, std::size_t local) {
    for (std::size_t other = 0; other < known.size(); ++other)
      if (known[other] && *known[other] + step * local != tried + step * other) return false;
    return true;
  };
  const auto first = std::ranges::find_if(known, [](const auto& one) { return one.has_value(); });
  if (first == known.end()) return false;
  const auto first_local = static_cast<std::size_t>(first - known.begin());
  for (const auto step : {std::size_t{1}, world_size.value_or(0) / known.size()})
    if (step > 0 && fits(step, **first, first_local)) return fits(step, rank, local_rank);
  return false;
}

}  // namespace bench_transfers::fleet
