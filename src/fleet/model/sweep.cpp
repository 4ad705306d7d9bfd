#include "src/fleet/model/sweep.hpp"

#include <map>

namespace bench_transfers::fleet {

namespace {

using nodes_of_ranks = std::map<std::size_t, const std::string*>;

/// Whether the ranks of each node follow each other: no cyclic placement.
bool are_contiguous(const nodes_of_ranks& nodes) {
  std::set<std::string> seen;
  const std::string* last = nullptr;
  for (const auto& [rank, node] : nodes) {
    if (last && *last == *node) continue;
    if (!seen.insert(*node).second) return false;
    last = node;
  }
  return true;
}

}  // namespace

std::vector<missing_rank> missing_ranks(const sweep& sweep) {
  nodes_of_ranks nodes;
  for (const auto& gpu : sweep.gpus)
    if (gpu.rank) nodes.emplace(*gpu.rank, &gpu.node);
  const bool can_be_placed = are_contiguous(nodes);
  std::vector<missing_rank> missing;
  for (std::size_t rank = 0; rank < sweep.world_size.value_or(0); ++rank) {
    const auto after = nodes.lower_bound(rank);
    if ((after != nodes.end() && after->first == rank) || sweep.other_ranks.contains(rank))
      continue;
    const bool is_between = after != nodes.end() && after != nodes.begin();
    const bool is_of_node =
        can_be_placed && is_between && *std::prev(after)->second == *after->second;
    missing.push_back({rank, is_of_node ? *after->second : std::string()});
  }
  return missing;
}

}  // namespace bench_transfers::fleet
