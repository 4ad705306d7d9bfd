#include "src/fleet/model/sweep.hpp"

#include <map>

namespace bench_transfers::fleet {

std::vector<missing_rank> missing_ranks(const sweep& sweep) {
  std::map<std::size_t, const std::string*> nodes;
  for (const auto& gpu : sweep.gpus)
    if (gpu.rank) nodes.emplace(*gpu.rank, &gpu.node);
  std::vector<missing_rank> missing;
  for (std::size_t rank = 0; rank < sweep.world_size.value_or(0); ++rank) {
    const auto after = nodes.lower_bound(rank);
    if (after != nodes.end() && after->first == rank) continue;
    const bool is_between = after != nodes.end() && after != nodes.begin();
    const bool is_of_node = is_between && *std::prev(after)->second == *after->second;
    missing.push_back({rank, is_of_node ? *after->second : std::string()});
  }
  return missing;
}

}  // namespace bench_transfers::fleet
