#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

namespace bench_transfers::fleet {

/// A launcher's variables contradict each other; what() is one line that names them.
class bad_rank : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a launcher tells one of its processes.
struct launched_rank {
  std::string launcher;  ///< "slurm"
  std::size_t rank = 0;
  std::optional<std::size_t> world_size;
  std::optional<std::size_t> local_rank;       ///< among the ranks of the node
  std::string node;                            ///< empty: it does not say
  std::string rack;                            ///< the node's switch; empty: it does not say
  std::optional<std::size_t> local_size = {};  ///< ranks of the node
  std::string job = {};                        ///< tells jobs apart; empty: it does not say
};

/// A variable of the environment; none if it is not set.
using environment = std::function<std::optional<std::string>(const char* name)>;

/// The variables of this process.
environment own_environment();

/// The rank of a process that was started by Open MPI's or MPICH's mpirun, Flux, Slurm, torchrun or
/// an indexed Job of Kubernetes; none if it was started by hand. An mpirun inside of a Slurm job
/// counts, not the job. Throws bad_rank.
std::optional<launched_rank> rank_of(const environment& variables);

/// Which variables of a launcher a process lacks that has others of them, as one line: many such
/// processes would all take themselves for the only one. For those that rank_of() knows no rank of.
std::optional<std::string> why_half_told(const environment& variables);

}  // namespace bench_transfers::fleet
