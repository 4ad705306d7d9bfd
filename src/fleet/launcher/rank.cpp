#include "src/fleet/launcher/rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "src/common/printable.hpp"

namespace bench_transfers::fleet {
namespace {

/// The variables of a launcher; null where it has none.
struct launcher {
  const char* name;
  const char* rank;
  const char* size;
  const char* local_rank;
  const char* node;
  const char* inside;  ///< only where this is set, too
};

/// The inner ones first. Sources: mpirun(1) of Open MPI, "Environment variables"; Hydra's process
/// management interface; flux-environment(7); srun(1), "Output environment variables"; PyTorch,
/// "torchrun", "Environment variables"; Kubernetes, "Jobs", "Completion mode".
constexpr std::array launchers{
    launcher{"open_mpi", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
             "OMPI_COMM_WORLD_LOCAL_RANK", nullptr, nullptr},
    launcher{"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", nullptr, nullptr},
    // Hydra sets both; `srun --mpi=pmi2` sets the rank alone, and is slurm.
    launcher{"mpich", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", nullptr, "MPI_LOCALRANKID"},
    launcher{"flux", "FLUX_TASK_RANK", "FLUX_JOB_SIZE", "FLUX_TASK_LOCAL_ID", nullptr, nullptr},
    launcher{"slurm", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURMD_NODENAME",
             // A batch script is rank 0 as well, and what it starts by hand is no rank.
             "SLURM_STEP_ID"},
    launcher{"kubernetes", "JOB_COMPLETION_INDEX", nullptr, nullptr, "NODE_NAME", nullptr}};

std::optional<std::size_t> number(const environment& variables, const char* name) {
  constexpr std::size_t most = 100'000'000;
  const auto text = name ? variables(name) : std::nullopt;
  if (!text) return std::nullopt;
  std::size_t value = 0;
  const auto* const end = text->data() + text->size();
  const auto [stopped, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc{} || stopped != end || value > most)
    throw bad_rank(fmt::format("bad {} '{}': it is no whole number from 0 to {}", name,
                               common::printable_in_short(*text), most));
  return value;
}

std::string text(const environment& variables, const char* name) {
  const auto value = name ? variables(name) : std::nullopt;
  return value ? common::printable(*value) : std::string();
}

/// The last switch on the way to the node: "s0.s4.node7" with the pattern "switch.switch.node" is
/// "s4" (sbatch(1), SLURM_TOPOLOGY_ADDR).
std::string leaf_switch(const environment& variables) {
  const auto address = text(variables, "SLURM_TOPOLOGY_ADDR");
  const auto pattern = text(variables, "SLURM_TOPOLOGY_ADDR_PATTERN");
  std::string found;
  std::size_t in_address = 0;
  std::size_t in_pattern = 0;
  while (in_address < address.size() && in_pattern < pattern.size()) {
    const auto end = std::min(address.find('.', in_address), address.size());
    const auto word_end = std::min(pattern.find('.', in_pattern), pattern.size());
    if (pattern.substr(in_pattern, word_end - in_pattern) == "switch")
      found = address.substr(in_address, end - in_address);
    in_address = end + 1;
    in_pattern = word_end + 1;
  }
  return found;
}

}  // namespace

environment own_environment() {
  return [](const char* name) -> std::optional<std::string> {
    const char* const value = std::getenv(name);
    return value ? std::optional<std::string>(value) : std::nullopt;
  };
}

std::optional<launched_rank> rank_of(const environment& variables) {
  for (const auto& known : launchers) {
    if (known.inside && !variables(known.inside)) continue;
    const auto rank = number(variables, known.rank);
    if (!rank) continue;
    launched_rank found{known.name,
                        *rank,
                        number(variables, known.size),
                        number(variables, known.local_rank),
                        text(variables, known.node),
                        {}};
    if (found.world_size && found.rank >= *found.world_size)
      throw bad_rank(fmt::format("bad {} {}: {} is {}", known.rank, found.rank, known.size,
                                 *found.world_size));
    found.rack = leaf_switch(variables);
    return found;
  }
  return std::nullopt;
}

}  // namespace bench_transfers::fleet
