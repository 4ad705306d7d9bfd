#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "src/fleet/io/read_files.hpp"
#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::fleet {

/// How far the starts of runs may be from their median: last night's runs are not of this sweep.
inline constexpr std::chrono::hours usual_span{12};
/// Those of one sweep's id must be closer, unless a span is given: so many runs, for GPUs that are
/// measured one after the other, and what launchers take to start.
inline constexpr int runs_apart = 10;
inline constexpr std::chrono::minutes starting_apart{5};

/// Reads the files and puts them together as one sweep: that of most files.
sweep collect(found_files found, std::optional<std::chrono::hours> span = {},
              const progress_function& progress = {});

/// The same of GPUs that have been read.
sweep sweep_of(std::vector<measured_gpu> gpus, std::vector<common::message> problems,
               std::optional<std::chrono::hours> span = {});

}  // namespace bench_transfers::fleet
