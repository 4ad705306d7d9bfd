#pragma once

#include "bench/harness/settings.hpp"

namespace bench_transfers::bench {

/// Names a new result file in the current folder for a run without --out. Complains if none can be
/// written there.
void keep_result(settings& settings);

}  // namespace bench_transfers::bench
