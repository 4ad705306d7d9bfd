#include "src/fleet/launcher/rank.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

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
  const char* local_size;
  const char* job;
  std::array<const char*, 2> also;  ///< only where these are set, too
};

/// The inner ones first. Sources: mpirun(1) of Open MPI, "Environment variables"; Hydra's process
/// management interface; flux-environment(7); srun(1), "Output environment variables"; PyTorch,
/// "torchrun", "Environment variables"; Kubernetes, "Jobs", "Completion mode".
constexpr std::array launchers{
    launcher{"open_mpi",
             "OMPI_COMM_WORLD_RANK",
             "OMPI_COMM_WORLD_SIZE",
             "OMPI_COMM_WORLD_LOCAL_RANK",
             nullptr,
             "OMPI_COMM_WORLD_LOCAL_SIZE",
             "PMIX_NAMESPACE",
             {}},
    // Others have a RANK, too.
    launcher{"torchrun",
             "RANK",
             "WORLD_SIZE",
             "LOCAL_RANK",
             nullptr,
             "LOCAL_WORLD_SIZE",
             "TORCHELASTIC_RUN_ID",
             {"WORLD_SIZE", "LOCAL_RANK"}},
    // Hydra sets both; `srun --mpi=pmi2` sets the rank alone, and is slurm.
    launcher{"mpich",
             "PMI_RANK",
             "PMI_SIZE",
             "MPI_LOCALRANKID",
             nullptr,
             "MPI_LOCALNRANKS",
             nullptr,
             {"MPI_LOCALRANKID"}},
    launcher{"flux",
             "FLUX_TASK_RANK",
             "FLUX_JOB_SIZE",
             "FLUX_TASK_LOCAL_ID",
             nullptr,
             nullptr,
             "FLUX_JOB_ID",
             {}},
    launcher{"slurm",
             "SLURM_PROCID",
             "SLURM_NTASKS",
             "SLURM_LOCALID",
             "SLURMD_NODENAME",
             nullptr,
             "SLURM_JOB_ID",
             // A batch script is rank 0 as well, and what it starts by hand is no rank.
             {"SLURM_STEP_ID"}},
    launcher{"kubernetes",
             "JOB_COMPLETION_INDEX",
             nullptr,
             nullptr,
             "NODE_NAME",
             nullptr,
             "JOB_NAME",
             {}}};

/// What these launchers set together. Slurm and Flux set some of theirs for scripts as well that
/// are not ranks.
constexpr std::array told_together{
    std::array{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    std::array{"RANK", "WORLD_SIZE", "LOCAL_RANK"},
    std::array{"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"}};

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

/// Null stands for none.
bool are_set(const environment& variables, std::span<const char* const> names) {
  return std::ranges::all_of(names, [&](const char* name) { return !name || variables(name); });
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

/// The value for an index of a list such as "8(x2),4" (sbatch(1), SLURM_TASKS_PER_NODE); none if
/// the list is another one.
std::optional<std::size_t> in_repeated_list(std::string_view list, std::size_t index) {
  const auto take_number = [&]() -> std::optional<std::size_t> {
    std::size_t value = 0;
    const auto [stopped, error] = std::from_chars(list.data(), list.data() + list.size(), value);
    if (error != std::errc{}) return std::nullopt;
    list.remove_prefix(static_cast<std::size_t>(stopped - list.data()));
    return value;
  };
  for (std::size_t before = 0; !list.empty();) {
    const auto value = take_number();
    if (!value) return std::nullopt;
    std::size_t times = 1;
    if (list.starts_with("(x")) {
      list.remove_prefix(2);
      times = take_number().value_or(0);
      if (!list.starts_with(')')) return std::nullopt;
      list.remove_prefix(1);
    }
    if (index - before < times) return value;
    before += times;
    if (list.starts_with(',')) list.remove_prefix(1);
  }
  return std::nullopt;
}

/// Where the launcher has no variable of its own for it.
std::optional<std::size_t> derived_local_size(const environment& variables,
                                              const launched_rank& told) {
  if (told.launcher == "slurm") {
    const auto list = variables("SLURM_STEP_TASKS_PER_NODE");
    const auto node = number(variables, "SLURM_NODEID");
    return list && node ? in_repeated_list(*list, *node) : std::nullopt;
  }
  if (told.launcher == "flux") {
    const auto nodes = number(variables, "FLUX_JOB_NNODES").value_or(0);
    if (nodes > 0 && told.world_size && *told.world_size % nodes == 0)
      return *told.world_size / nodes;
  }
  return std::nullopt;
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
    if (!are_set(variables, known.also)) continue;
    const auto rank = number(variables, known.rank);
    if (!rank) continue;
    launched_rank found{known.name,
                        *rank,
                        number(variables, known.size),
                        number(variables, known.local_rank),
                        text(variables, known.node),
                        {}};
    // integrations/node_sweep: the host name of a pod is the pod's.
    if (found.launcher == "torchrun") found.node = text(variables, "NODE_NAME");
    if (found.world_size && found.rank >= *found.world_size)
      throw bad_rank(fmt::format("bad {} {}: {} is {}", known.rank, found.rank, known.size,
                                 *found.world_size));
    found.rack = leaf_switch(variables);
    found.local_size = known.local_size ? number(variables, known.local_size)
                                        : derived_local_size(variables, found);
    found.job = text(variables, known.job);
    if (found.launcher == "slurm") found.job += "." + text(variables, "SLURM_STEP_ID");
    if (found.local_rank && found.local_size && *found.local_rank >= *found.local_size)
      throw bad_rank(fmt::format("bad {} {}: the node has {} of its ranks", known.local_rank,
                                 *found.local_rank, *found.local_size));
    return found;
  }
  return std::nullopt;
}

std::optional<std::string> why_half_told(const environment& variables) {
  for (const auto& names : told_together) {
    std::vector<std::string_view> present, absent;
    for (const auto* const name : names) (variables(name) ? present : absent).emplace_back(name);
    if (!present.empty() && !absent.empty())
      return fmt::format("{} without {}: set all of them, or none for a process by itself",
                         fmt::join(present, " and "), fmt::join(absent, " and "));
  }
  return std::nullopt;
}

}  // namespace bench_transfers::fleet
