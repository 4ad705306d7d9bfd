#pragma once

#include <span>

#include "src/gate/judge/answer.hpp"
#include "src/gate/model/baseline.hpp"
#include "src/gate/model/run.hpp"

namespace bench_transfers::gate {

/// The baseline's metric. The new runs' declaration must agree with it and does not change it:
/// otherwise a run could choose the threshold that it is judged by. Throws bad_input.
metric metric_of(const baseline& before, std::span<const run> after);

/// The limits of a check: also whether the machines are others.
limits limits_for(const baseline& before, std::span<const run> after, limits given);

/// What an answer tells of the runs themselves: what they are, what differs, and notes.
report told_of_runs(const baseline& before, std::span<const run> after, const question& question);

}  // namespace bench_transfers::gate
