#pragma once

#include <filesystem>

#include "src/fleet/mpi/channel.hpp"
#include "src/fleet/mpi/gathering.hpp"

namespace bench_transfers::bench {

/// Sends a rank's result to rank 0, which writes what `fleet_transfers collect` would write.
/// `own`: all but the bytes of the file, which need not exist. `only_lists`: nothing was to be
/// measured, so a sweep without files is no failure. Throws what reading and writing files throws.
void gather_sweep(fleet::gathering& others, const fleet::channel& ranks,
                  const std::filesystem::path& folder, const std::filesystem::path& file,
                  fleet::contribution own, bool only_lists);

}  // namespace bench_transfers::bench
