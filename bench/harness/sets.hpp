#pragma once

#include <string>
#include <vector>

#include "bench/strategy/strategy.hpp"
#include "src/machine/numa.hpp"

namespace bench_transfers::bench {

/// Devices of the run that alone have a place in common: a port that they are below, or a node that
/// they are next to.
struct neighbours {
  result_file::set_description set;
  std::vector<std::size_t> devices;  ///< indices, ascending
};

/// What sets of copies are made of.
struct host_layout {
  std::vector<std::string> ids;                    ///< of the devices
  std::vector<bench::neighbours> neighbours = {};  ///< empty where sysfs shows none
  std::vector<machine::numa_node> nodes = {};      ///< of host memory
};

/// Returns the strategies of a run. Those of several copies at once get sets of copies as their
/// variants, "h2d/all", "both/cuda:0+cuda:1":
///
/// - without requests, all devices, neighbours ("h2d/node1", "h2d/below_0000:c0:01.1") and, of up
///   to eight devices, all pairs, each to the devices, back, and both ways; sets with the same
///   devices once;
/// - otherwise those requested: "cuda:0:h2d+cuda:1:d2h" is "mixed/cuda:0:h2d+cuda:1:d2h", and
///   "cuda:0:both" stands for two copies. Copies may name their memory, a kind that some strategy
///   of several copies has: "cuda:0:h2d:pinned@node1+cuda:1:d2h:pageable". Those are variants of
///   the strategy whose copies do (strategy::memory_by_copy).
///
/// A run of one device has no sets unless they are requested. Throws usage_error for requests that
/// are malformed, name a device that the run or memory that the machine does not have, name a copy
/// twice or the memory of some copies only.
registry with_sets(registry strategies, const host_layout& host,
                   const std::vector<std::string>& requests = {});
/// The strategies of a run of one of a node's processes, which measures one device: those of
/// several copies at once have the copies of all processes at once as their variants, "h2d/ranks".
registry with_ranks(registry strategies, const std::string& id);

}  // namespace bench_transfers::bench
