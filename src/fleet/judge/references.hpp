#pragma once

#include "src/fleet/judge/question.hpp"

// What each reference of a GPU shows. Each function returns what the ones before it have shown, and
// what its own reference adds to that.

namespace bench_transfers::fleet {

/// What GPUs of one model show of each other.
shown beside_peers(const question& asked);

/// Links that are lower than those of most peers explain why a part is slow, and are reported even
/// if it is not. One that is lower than it could be, as those of the peers are, is a doubt.
shown with_lower_links(const question& asked, shown known);

/// What is slower than in the baseline, as far as peers have not named it. Without a baseline that
/// is nothing.
shown beside_baseline(const question& asked, shown known);

/// What the links of parts let expect, and is not reached. Peers and a baseline can be slow
/// themselves; what a link can carry is known.
shown beside_link_limits(const question& asked, shown known);

/// The GPUs that the baseline has and that are not there any more, and missing ranks. A GPU that
/// its node has lost says nothing itself: its rank is not missing beside it.
absent_parts absent_in(const question& asked);

}  // namespace bench_transfers::fleet
