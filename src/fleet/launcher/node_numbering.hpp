#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace bench_transfers::fleet {

/// Whether a rank is one of this node. `known`: the node's ranks by local rank, as far as they are
/// known. Of the others it is one where it fits the numbers of these: launchers number the ranks of
/// a node one after the other, or all nodes in turn.
bool is_rank_of_node(std::size_t rank, std::size_t local_rank,
                     std::span<const std::optional<std::size_t>> known,
                     std::optional<std::size_t> world_size);

}  // namespace bench_transfers::fleet
