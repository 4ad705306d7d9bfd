#pragma once

#include <span>
#include <string>

#include "src/gate/model/run.hpp"

namespace bench_transfers::gate {

/// Tables of runs for a terminal of 100 columns: what differs between their machines, then the
/// median of each benchmark over its repetitions, and how far these lie apart. As many runs beside
/// one another as there is room for.
std::string side_by_side(std::span<const run> runs, const metric& judged_by);

}  // namespace bench_transfers::gate
