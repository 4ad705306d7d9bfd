#pragma once

#include "src/topology/infer/plan.hpp"

namespace bench_transfers::topology {

// Each chooses the sets that answer one question. What decides which sets are measured next asks
// them one after the other (planner.cpp).

/// Is a link what it seems? Measures each with all of its devices and no others, and weak links
/// again: two links that give the same look like one until both are full.
void confirm_links(plan& next);

/// How do directions share a link? Where it limits both together, some of its devices copy in one
/// direction only: it is not seen while all do the same.
void mix_directions(plan& next);

/// Which of two explanations is right? Chooses the set whose rates differ most between them.
void decide_doubts(plan& next);

/// Is a link hidden? Chooses, one after the other, the set that shows most links that may be.
void look_for_unseen_links(plan& next);

}  // namespace bench_transfers::topology
