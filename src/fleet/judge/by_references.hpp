#pragma once

#include <set>
#include <vector>

#include "src/fleet/judge/question.hpp"

namespace bench_transfers::fleet {

/// Adds what is slower than in the baseline, as far as peers have not named it: findings, what was
/// tested, the scores since then, and doubts. Without a baseline it does nothing.
void judge_by_baseline(const question& asked, judgement& judged);

/// Adds what the links of parts let expect, and is not reached: findings, evidence of those that
/// are there, and doubts. Peers and a baseline can be slow themselves; what a link can carry is
/// known.
void judge_by_links(const question& asked, judgement& judged);

/// Adds the GPUs that the baseline has and that are not there any more. One that its node has lost
/// says nothing itself: its rank is not missing beside it.
void add_gone(const question& asked, judgement& judged);

}  // namespace bench_transfers::fleet
