#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "src/fleet/io/collect.hpp"

namespace bench_transfers::bench {

/// What a rank has left that gives no answer.
struct left_file {
  fleet::found_file file;
  bool is_complete = false;  ///< the rank has measured all, and hangs since
};

/// Where to look for it.
struct place_of_job {
  std::filesystem::path folder;
  nlohmann::json facts;  ///< context.transfers.fleet of a rank of the job
  /// Runs that started earlier are of other jobs. Where the clock of a node is late, its files
  /// count as such, too: its ranks are missing then.
  std::chrono::sys_seconds began;
};

/// What ranks that give no answer have left below a folder in this job, each with its rank:
/// `fleet_transfers collect` finds it there, too. `known`: files that belong to others, which need
/// not be read.
std::multimap<std::size_t, left_file> files_left_by(const std::set<std::size_t>& ranks,
                                                    const place_of_job& place,
                                                    const std::set<std::filesystem::path>& known);

}  // namespace bench_transfers::bench
