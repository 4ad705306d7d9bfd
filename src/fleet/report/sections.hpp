#pragma once

#include <vector>

#include "src/common/message.hpp"
#include "src/exports/answer.hpp"
#include "src/fleet/judge/judge.hpp"
#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::fleet {

/// GPUs whose runs were resumed: their figures are not of one time. The first ones, and how many
/// more there are.
exports::section in_parts_section(const sweep& sweep);
/// Likewise.
exports::section problem_section(const std::vector<common::message>& problems);
/// Both, host devices (or nodes or racks of them) that are slow and not named, nodes that were
/// declared absent, and all doubts, with which GPUs or nodes they are about.
std::vector<exports::section> sections_of(const sweep& sweep, const judgement& judged);

}  // namespace bench_transfers::fleet
