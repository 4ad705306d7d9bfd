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
  std::string seen = {};                       ///< "RANK=1, WORLD_SIZE=2": what says so
};

// More than any computer has. Each rank of a node takes shared memory, and each that is missing is
// named.
inline constexpr std::size_t most_launched_ranks = 1'000'000;
inline constexpr std::size_t most_ranks_of_node = 1024;

/// A variable of the environment; none if it is not set.
using environment = std::function<std::optional<std::string>(const char* name)>;

/// The variables of this process.
environment own_environment();

/// The rank of a process that was started by mpirun (of Open MPI, MPICH, MVAPICH), PALS, jsrun,
/// Flux, Slurm, torchrun or an indexed Job of Kubernetes; none if it was started by hand. An mpirun
/// inside of a Slurm job counts, not the job. `ranks_per_node` counts more than what a launcher
/// says of it. Throws bad_rank.
std::optional<launched_rank> rank_of(const environment& variables,
                                     std::optional<std::size_t> ranks_per_node = {});

/// Which of its numbers contradict each other.
std::optional<std::string> why_impossible(const launched_rank& told);

/// Which variables of a launcher a process lacks that has others of them, as one line: many such
/// processes would all take themselves for the only one. For those that rank_of() knows no rank of.
std::optional<std::string> why_half_told(const environment& variables);

}  // namespace bench_transfers::fleet
