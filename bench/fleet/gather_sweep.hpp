#pragma once

#include <chrono>
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

/// What a job is to write.
struct sweep_request {
  std::filesystem::path folder;
  std::chrono::sys_seconds began;  ///< before any rank of the job has measured
  bool only_lists = false;         ///< nothing is to be measured, so there is no sweep
};

/// Puts the sweep of an earlier job aside: nobody must take it for that of a job that fails. One
/// line on standard error says so.
void put_earlier_sweep_aside(const sweep_request& request);

/// Sends a rank's result to rank 0, which writes what `fleet_transfers collect` would write: also
/// what ranks that give no answer have left in the folder, if rank 0 sees it. Such a rank is
/// missing or a problem of the sweep in any case. Throws what reading and writing files throws.
void gather_sweep(fleet::gathering& others, const fleet::channel& ranks,
                  const sweep_request& request, rank_result own);

}  // namespace bench_transfers::bench
