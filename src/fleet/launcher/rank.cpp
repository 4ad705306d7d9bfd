#include "src/fleet/launcher/rank.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "src/fleet/launcher/slurm.hpp"
#include "src/fleet/launcher/variable_reader.hpp"

namespace bench_transfers::fleet {
namespace {

/// The variables of a launcher.
struct launcher {
  const char* name;
  variable_names rank;
  variable_names size = {};
  variable_names local_rank = {};
  variable_names node = {};
  variable_names local_size = {};
  variable_names job = {};
  variable_names step = {};  ///< of a job, told with it
  /// It has started a process where one of each is set, for others have some of them, too.
  std::array<variable_names, 2> also = {};
  /// What else must hold; may be null.
  bool (*is_rank)(const environment& variables) = nullptr;
  /// Instead of `local_size`; may be null. Throws bad_rank.
  std::optional<std::size_t> (*local_size_of)(variable_reader& read) = nullptr;
  /// What it sets together: of a process that has some, and not one of each, it is not known which
  /// rank it is. Slurm and Flux set some of theirs for scripts as well that are not ranks.
  bool tells_all = false;
};

constexpr variable_names flux_size{"FLUX_JOB_SIZE"};

std::optional<std::size_t> flux_local_size(variable_reader& read) {
  const auto ranks = read.number(flux_size, 1, most_launched_ranks);
  const auto nodes = read.number({"FLUX_JOB_NNODES"}, 1, most_launched_ranks);
  return ranks && nodes && *ranks % *nodes == 0 ? std::optional(*ranks / *nodes) : std::nullopt;
}

/// The inner ones first. Sources: mpirun(1) of Open MPI, "Environment variables"; jsrun(1) of LSF;
/// MVAPICH's and MVAPICH2's user guides; Hydra's process management interface; PALS' mpiexec(1);
/// flux-environment(7); srun(1), "Output environment variables"; PyTorch, "torchrun", "Environment
/// variables"; Kubernetes, "Jobs", "Completion mode".
constexpr std::array launchers{
    launcher{.name = "open_mpi",
             .rank = {"OMPI_COMM_WORLD_RANK"},
             .size = {"OMPI_COMM_WORLD_SIZE"},
             .local_rank = {"OMPI_COMM_WORLD_LOCAL_RANK"},
             .local_size = {"OMPI_COMM_WORLD_LOCAL_SIZE"},
             .job = {"PMIX_NAMESPACE"},
             .tells_all = true},
    launcher{.name = "jsrun",
             .rank = {"JSM_NAMESPACE_RANK"},
             .size = {"JSM_NAMESPACE_SIZE"},
             .local_rank = {"JSM_NAMESPACE_LOCAL_RANK"},
             .local_size = {"JSM_NAMESPACE_LOCAL_SIZE"},
             .job = {"PMIX_NAMESPACE"},
             .tells_all = true},
    launcher{.name = "mvapich",
             .rank = {"MV2_COMM_WORLD_RANK", "MVP_COMM_WORLD_RANK"},
             .size = {"MV2_COMM_WORLD_SIZE", "MVP_COMM_WORLD_SIZE"},
             .local_rank = {"MV2_COMM_WORLD_LOCAL_RANK", "MVP_COMM_WORLD_LOCAL_RANK"},
             .local_size = {"MV2_COMM_WORLD_LOCAL_SIZE", "MVP_COMM_WORLD_LOCAL_SIZE"},
             .tells_all = true},
    // Others have a RANK, too. integrations/node_sweep sets NODE_NAME: the host name of a pod is
    // the pod's.
    launcher{.name = "torchrun",
             .rank = {"RANK"},
             .size = {"WORLD_SIZE"},
             .local_rank = {"LOCAL_RANK"},
             .node = {"NODE_NAME"},
             .local_size = {"LOCAL_WORLD_SIZE"},
             .job = {"TORCHELASTIC_RUN_ID"},
             .also = {variable_names{"WORLD_SIZE"}, variable_names{"LOCAL_RANK"}},
             .tells_all = true},
    // Hydra and PALS set all; `srun --mpi=pmi2` sets the rank alone, and is slurm.
    launcher{.name = "mpich",
             .rank = {"PMI_RANK", "PALS_RANKID"},
             .size = {"PMI_SIZE"},
             .local_rank = {"MPI_LOCALRANKID", "PMI_LOCAL_RANK", "PALS_LOCAL_RANKID"},
             .local_size = {"MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"},
             .job = {"PALS_APID"},
             .also = {variable_names{"PMI_SIZE"},
                      variable_names{"MPI_LOCALRANKID", "PMI_LOCAL_RANK", "PALS_LOCAL_RANKID"}},
             .tells_all = true},
    // Without MPI's own variables its ranks are known, and how many there are is not.
    launcher{.name = "pals",
             .rank = {"PALS_RANKID"},
             .local_rank = {"PALS_LOCAL_RANKID"},
             .local_size = {"PALS_LOCAL_SIZE"},
             .job = {"PALS_APID"},
             .also = {variable_names{"PALS_LOCAL_RANKID"}}},
    launcher{.name = "flux",
             .rank = {"FLUX_TASK_RANK"},
             .size = flux_size,
             .local_rank = {"FLUX_TASK_LOCAL_ID"},
             .job = {"FLUX_JOB_ID"},
             .local_size_of = flux_local_size},
    // The step's before the job's. A batch script is rank 0 as well, and what it starts by hand is
    // no rank.
    launcher{.name = "slurm",
             .rank = {"SLURM_PROCID"},
             .size = {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "SLURM_NPROCS"},
             .local_rank = {"SLURM_LOCALID"},
             .node = {"SLURMD_NODENAME"},
             .job = {"SLURM_JOB_ID", "SLURM_JOBID"},
             .step = slurm_step,
             .also = {slurm_step},
             .is_rank = is_slurm_rank,
             .local_size_of = slurm_local_size},
    launcher{.name = "kubernetes",
             .rank = {"JOB_COMPLETION_INDEX"},
             .node = {"NODE_NAME"},
             .job = {"JOB_NAME"}}};

bool has_started(const launcher& known, const environment& variables) {
  const auto is_there = [&](const variable_names& alternatives) {
    return !alternatives.front() || variable_reader(variables).value(alternatives);
  };
  return is_there(known.rank) && std::ranges::all_of(known.also, is_there) &&
         (!known.is_rank || known.is_rank(variables));
}

}  // namespace

environment own_environment() {
  return [](const char* name) -> std::optional<std::string> {
    const char* const value = std::getenv(name);
    return value ? std::optional<std::string>(value) : std::nullopt;
  };
}

std::optional<launched_rank> rank_of(const environment& variables,
                                     std::optional<std::size_t> ranks_per_node) {
  const auto known = std::ranges::find_if(
      launchers, [&](const launcher& tried) { return has_started(tried, variables); });
  if (known == launchers.end()) return std::nullopt;
  variable_reader read(variables);
  launched_rank found;
  found.launcher = known->name;
  found.rank = read.number(known->rank, 0, most_launched_ranks - 1).value();
  found.world_size = read.number(known->size, 1, most_launched_ranks);
  found.local_rank = read.number(known->local_rank, 0, most_ranks_of_node - 1);
  if (ranks_per_node)
    found.local_size = ranks_per_node;
  else if (known->local_size_of)
    found.local_size = known->local_size_of(read);
  else
    found.local_size = read.number(known->local_size, 1, most_ranks_of_node);
  found.seen = read.seen();
  if (const auto why = why_impossible(found))
    throw bad_rank(fmt::format("{} ({})", *why, found.seen));
  found.node = read.text(known->node);
  found.rack = slurm_leaf_switch(variables);
  found.job = read.text(known->job);
  if (known->step.front()) found.job += "." + read.text(known->step);
  return found;
}

std::optional<std::string> why_impossible(const launched_rank& told) {
  constexpr auto remedy = "--ranks-per-node=N says how many this node has";
  const auto of_world = told.world_size.value_or(most_launched_ranks);
  const auto of_node = told.local_size.value_or(of_world);
  if (told.rank >= of_world) return fmt::format("rank {} is none of {}", told.rank, of_world);
  if (told.local_rank && *told.local_rank >= of_node)
    return fmt::format("local rank {} is none of the {} ranks of this node: {}", *told.local_rank,
                       of_node, remedy);
  if (told.local_size && of_node > most_ranks_of_node)
    return fmt::format("{} ranks of one node are more than {}: {}", of_node, most_ranks_of_node,
                       remedy);
  if (of_node > of_world)
    return fmt::format("this node cannot have {} of {} ranks: {}", of_node, of_world, remedy);
  return std::nullopt;
}

std::optional<std::string> why_half_told(const environment& variables) {
  for (const auto& known : launchers) {
    if (!known.tells_all) continue;
    variable_reader read(variables);
    std::vector<std::string> absent;
    for (const auto& alternatives : {known.rank, known.size, known.local_rank}) {
      if (read.value(alternatives)) continue;
      const auto last = std::ranges::find(alternatives, nullptr);
      absent.push_back(fmt::format("{}", fmt::join(alternatives.begin(), last, " or ")));
    }
    if (!read.seen().empty() && !absent.empty())
      return fmt::format("{} without {}: set all of them, or none for a process by itself",
                         read.seen(), fmt::join(absent, " and "));
  }
  return std::nullopt;
}

}  // namespace bench_transfers::fleet
