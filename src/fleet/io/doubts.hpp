#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "src/fleet/io/measured_gpu.hpp"
#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::fleet {

/// How far the starts of runs may be from their median: last night's runs are not of this sweep.
inline constexpr std::chrono::hours usual_span{12};
/// Those of one sweep's id must be closer, unless a span is given: so many runs, for GPUs that are
/// measured one after the other, and what launchers take to start.
inline constexpr int runs_apart = 10;
inline constexpr std::chrono::minutes starting_apart{5};

/// Problems of GPUs whose files are used all the same: runs far from each other, and contradictory
/// ranks. Also finds out when the sweep began. It has its id and its world size. `span`: how far
/// starts may be from their median; none: as above.
void add_doubts(sweep& sweep, const std::vector<measured_gpu>& gpus,
                std::optional<std::chrono::hours> span);

}  // namespace bench_transfers::fleet
