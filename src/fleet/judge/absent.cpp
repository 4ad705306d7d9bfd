#include <algorithm>
#include <vector>

#include "src/fleet/judge/references.hpp"
#include "src/fleet/model/absence.hpp"

namespace bench_transfers::fleet {
namespace {

template <class Matches>
void take_missing(gpu& gone, std::vector<missing_rank>& missing, const Matches& matches) {
  const auto found = std::ranges::find_if(missing, matches);
  if (found == missing.end()) return;
  gone.rank = found->rank;
  missing.erase(found);
}

}  // namespace

absent_parts absent_in(const question& asked) {
  absent_parts parts;
  parts.missing = missing_ranks(asked.sweep);
  if (!asked.accepted) return parts;
  const auto lost = asked.accepted->lost(asked.sweep);
  std::vector<absent_gpu> absent;
  for (const auto* gpu : lost) absent.push_back({gpu->uuid, gpu->node});
  const auto gone = are_gone(absent, unread_results(asked.sweep));
  for (std::size_t i = 0; i < lost.size(); ++i)
    if (gone[i]) parts.gone.push_back(*lost[i]);
  const auto known = parts.gone;
  for (auto& gpu : parts.gone) gpu.rank.reset();
  // The same rank as before, otherwise any of the node.
  for (std::size_t i = 0; i < known.size(); ++i)
    take_missing(parts.gone[i], parts.missing, [&](const missing_rank& missing) {
      return missing.rank == known[i].rank &&
             (missing.node.empty() || missing.node == known[i].node);
    });
  for (auto& gpu : parts.gone)
    if (!gpu.rank)
      take_missing(gpu, parts.missing,
                   [&](const missing_rank& missing) { return missing.node == gpu.node; });
  for (auto& node : asked.accepted->absent_nodes(asked.sweep))
    (asked.sweep.absent_nodes.contains(node) ? parts.declared_absent : parts.absent_nodes)
        .insert(node);
  return parts;
}

}  // namespace bench_transfers::fleet
