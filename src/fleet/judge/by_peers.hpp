#pragma once

#include <vector>

#include "src/fleet/judge/question.hpp"

namespace bench_transfers::fleet {

/// What GPUs of one model show of each other.
struct shown_by_peers {
  std::vector<finding> findings;
  std::vector<tested_aspect> tested;
  std::vector<aspect_scores> scores;
  doubted doubts;
};
shown_by_peers judge_by_peers(const question& asked);

/// Takes out the findings that rest on a single benchmark which may be chance; those that may be
/// more are doubts.
void take_out_lone_benchmarks(const question& asked, std::vector<finding>& findings,
                              doubted& doubts);

/// Links that are lower than those of most peers explain why a part is slow, and are reported even
/// if it is not. One that is lower than it could be, as those of the peers are, is a doubt.
void compare_links(const question& asked, std::vector<finding>& findings, doubted& doubts);

}  // namespace bench_transfers::fleet
