#pragma once

#include <span>

#include "src/gate/judge/answer.hpp"
#include "src/gate/model/baseline.hpp"
#include "src/gate/model/run.hpp"

namespace bench_transfers::gate {

/// Compares runs with a baseline; docs/GATE.md. Throws bad_input: no runs; runs that are not
/// independent of each other or of the baseline, or that disagree about the metric; runs of a GPU
/// and of the host device; different programs; a bad regular expression.
/// Also what require_classes() throws.
report check(const baseline& before, std::span<const run> after, const question& question);

/// Throws bad_input for runs of another program or without a GPU where the baseline has one, or the
/// other way round, and for runs that have another metric.
void require_like(const baseline& before, std::span<const run> after);

/// Throws bad_input for a class that is to decide although the baseline has no benchmark of it.
void require_classes(const baseline& before, const question& question);

}  // namespace bench_transfers::gate
