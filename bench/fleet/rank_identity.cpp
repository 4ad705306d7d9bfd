#include "bench/fleet/rank_identity.hpp"

#include <fmt/format.h>

#include "src/common/program.hpp"
#include "src/common/text.hpp"
#include "src/machine/machine.hpp"

namespace bench_transfers::bench {
namespace {

/// The ranks of the node, by the launcher or the command line.
void add_local_rank(rank_identity& self) {
  auto& told = self.told;
  if (!self.has_rank) return;
  if (!told.local_size && told.world_size == 1U) told.local_size = 1;
  if (!told.local_size && told.local_rank)
    throw common::usage_error(
        fmt::format("{} does not say how many ranks this node has ({}): --ranks-per-node=N",
                    told.launcher, told.seen));
  // A pod sees no other of its node: it records no local size.
  self.local_size = told.local_size.value_or(1);
  if (!told.local_rank) told.local_rank = told.rank % self.local_size;
  self.local_rank = *told.local_rank;
  if (const auto why = fleet::why_impossible(told)) throw common::usage_error(*why);
}

/// What MPI says is not to be doubted, but it must be the MPI that has started the ranks.
void add_mpi_rank(rank_identity& self, const fleet::mpi_ranks& mpi) {
  if (mpi.size() == 1 && self.told.world_size.value_or(1) > 1)
    throw common::usage_error(
        fmt::format("MPI sees one rank, and {} has started {}: --mpi names a plugin of another MPI",
                    self.told.launcher, *self.told.world_size));
  if (self.told.launcher.empty()) self.told.launcher = "mpi";
  self.told.rank = mpi.rank();
  self.told.world_size = mpi.size();
  self.has_rank = true;
}

void require_no_rank_at_all() {
  if (const auto lacking = fleet::why_half_told(fleet::own_environment()))
    throw common::usage_error("no launcher tells a rank in full: " + *lacking);
}

}  // namespace

std::string name_of(const rank_identity& self) {
  return fmt::format("rank {} on {}", self.told.rank, self.told.node);
}

rank_identity identity_of(const fleet_request& request, const fleet::mpi_ranks* mpi) {
  const auto told = rank_by_launcher(request);
  rank_identity self;
  self.has_rank = told.has_value();
  self.told = told.value_or(fleet::launched_rank{});
  if (!told) self.told.local_size = request.ranks_per_node;
  if (mpi) add_mpi_rank(self, *mpi);
  if (!self.has_rank) require_no_rank_at_all();
  add_local_rank(self);
  if (self.told.node.empty()) self.told.node = common::printable(machine::host_name());
  if (!request.rack.empty()) self.told.rack = common::printable(request.rack);
  const auto usual = fleet::own_environment()("TRANSFERS_SWEEP").value_or(self.told.job);
  self.sweep = common::printable(request.sweep.empty() ? usual : request.sweep);
  return self;
}

}  // namespace bench_transfers::bench
