#pragma once

#include <vector>

#include "src/common/message.hpp"
#include "src/fleet/ranks/node_ranks.hpp"

namespace bench_transfers::bench {

/// That the others of its node no longer wait for a rank, for their result files and for people.
common::message warning_of(const fleet::lost_rank& lost);

/// Of all ranks of the node that are lost; none without other ranks (null).
std::vector<common::message> warnings_of_lost(const fleet::node_ranks* ranks);

}  // namespace bench_transfers::bench
