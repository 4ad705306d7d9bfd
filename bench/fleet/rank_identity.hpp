#pragma once

#include <cstddef>
#include <string>

#include "bench/cli/fleet_options.hpp"
#include "src/fleet/launcher/rank.hpp"
#include "src/fleet/mpi/mpi_ranks.hpp"

namespace bench_transfers::bench {

/// Which process of many this is, as far as anything says it.
struct rank_identity {
  fleet::launched_rank told;
  bool has_rank = false;
  std::string sweep;
  std::size_t local_rank = 0, local_size = 1;
};

/// "rank 3 on node7": what it says begins so, where many share a terminal.
std::string name_of(const rank_identity& self);

/// By the command line, by MPI (null: without), and by the launcher. Throws usage_error where these
/// contradict each other, or say too little.
rank_identity identity_of(const fleet_request& request, const fleet::mpi_ranks* mpi);

}  // namespace bench_transfers::bench
