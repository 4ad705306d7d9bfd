#pragma once

#include <span>

#include "src/gate/judge/answer.hpp"
#include "src/gate/model/baseline.hpp"
#include "src/gate/model/run.hpp"

namespace bench_transfers::gate {

/// Compares runs with a baseline; docs/GATE.md. Throws bad_input: no runs; runs that are not
/// independent of each other or of the baseline, or that disagree about the metric; runs of a GPU
/// and of the host device; different programs; a bad regular expression.
report check(const baseline& before, std::span<const run> after, const question& question);

}  // namespace bench_transfers::gate
