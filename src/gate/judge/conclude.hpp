#pragma once

#include "src/gate/judge/answer.hpp"

namespace bench_transfers::gate {

/// Draws reasons and exit code from the rest of the answer, and sorts its findings.
void conclude(report& answer);

/// Whether the answer is inconclusive for no other reason than too few runs: some benchmarks are
/// ambiguous, too few can show the threshold, or there are fewer runs than a verdict needs.
bool more_runs_may_tell(const report& answer);

}  // namespace bench_transfers::gate
