#pragma once

#include "src/gate/judge/answer.hpp"

namespace bench_transfers::gate {

/// Derives the reasons and the exit code from the other parts of the answer, and sorts its
/// findings.
void conclude(report& answer);

/// Whether the answer is inconclusive only because there are too few runs: some benchmarks are
/// ambiguous, too few can show the threshold, or a verdict needs more runs.
bool more_runs_may_tell(const report& answer);

}  // namespace bench_transfers::gate
