#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "src/fleet/io/read_files.hpp"
#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::fleet {

/// Reads the files and puts them together as one sweep: that of most files. `span`: as in
/// doubts.hpp.
sweep collect(found_files found, std::optional<std::chrono::hours> span = {},
              const progress_function& progress = {});

/// The same of GPUs that have been read.
sweep sweep_of(std::vector<measured_gpu> gpus, std::vector<common::message> problems,
               std::optional<std::chrono::hours> span = {});

}  // namespace bench_transfers::fleet
