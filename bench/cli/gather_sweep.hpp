#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "src/fleet/mpi/channel.hpp"
#include "src/fleet/mpi/gathering.hpp"

namespace bench_transfers::bench {

/// What a rank has for a sweep.
struct rank_result {
  std::filesystem::path file = {};        ///< need not exist
  nlohmann::json facts = {};              ///< context.transfers.fleet; null: not known
  fleet::contribution contribution = {};  ///< all but the bytes of the file
};

/// Sends a rank's result to rank 0, which writes what `fleet_transfers collect` would write: also
/// what ranks that give no answer have left in the folder, if rank 0 sees it. `only_lists`: nothing
/// was to be measured, so a sweep without files is no failure. Throws what reading and writing
/// files throws.
void gather_sweep(fleet::gathering& others, const fleet::channel& ranks,
                  const std::filesystem::path& folder, rank_result own, bool only_lists);

}  // namespace bench_transfers::bench
