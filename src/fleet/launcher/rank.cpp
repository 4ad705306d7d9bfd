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

#include "src/common/number.hpp"
#include "src/common/text.hpp"

namespace bench_transfers::fleet {
namespace {

/// Variables that say the same, of which the first that is set counts; the rest is null.
using names = std::array<const char*, 4>;

/// The variables of a launcher.
struct launcher {
  const char* name;
  names rank;
  names size = {};
  names local_rank = {};
  names node = {};
  names local_size = {};
  names job = {};
  /// It has started a process where one of each is set, for others have some of them, too.
  std::array<names, 2> also = {};
  /// What it sets together: of a process that has some, and not one of each, it is not known which
  /// rank it is. Slurm and Flux set some of theirs for scripts as well that are not ranks.
  bool tells_all = false;
};

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
             .also = {names{"WORLD_SIZE"}, names{"LOCAL_RANK"}},
             .tells_all = true},
    // Hydra and PALS set all; `srun --mpi=pmi2` sets the rank alone, and is slurm.
    launcher{.name = "mpich",
             .rank = {"PMI_RANK", "PALS_RANKID"},
             .size = {"PMI_SIZE"},
             .local_rank = {"MPI_LOCALRANKID", "PMI_LOCAL_RANK", "PALS_LOCAL_RANKID"},
             .local_size = {"MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"},
             .job = {"PALS_APID"},
             .also = {names{"PMI_SIZE"},
                      names{"MPI_LOCALRANKID", "PMI_LOCAL_RANK", "PALS_LOCAL_RANKID"}},
             .tells_all = true},
    // Without MPI's own variables its ranks are known, and how many there are is not.
    launcher{.name = "pals",
             .rank = {"PALS_RANKID"},
             .local_rank = {"PALS_LOCAL_RANKID"},
             .local_size = {"PALS_LOCAL_SIZE"},
             .job = {"PALS_APID"},
             .also = {names{"PALS_LOCAL_RANKID"}}},
    launcher{.name = "flux",
             .rank = {"FLUX_TASK_RANK"},
             .size = {"FLUX_JOB_SIZE"},
             .local_rank = {"FLUX_TASK_LOCAL_ID"},
             .job = {"FLUX_JOB_ID"}},
    // The step's before the job's. A batch script is rank 0 as well, and what it starts by hand is
    // no rank.
    launcher{.name = "slurm",
             .rank = {"SLURM_PROCID"},
             .size = {"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "SLURM_NPROCS"},
             .local_rank = {"SLURM_LOCALID"},
             .node = {"SLURMD_NODENAME"},
             .job = {"SLURM_JOB_ID", "SLURM_JOBID"},
             .also = {names{"SLURM_STEP_ID", "SLURM_STEPID"}}},
    launcher{.name = "kubernetes",
             .rank = {"JOB_COMPLETION_INDEX"},
             .node = {"NODE_NAME"},
             .job = {"JOB_NAME"}}};

/// Reads variables, and keeps which were seen.
class reader {
 public:
  explicit reader(const environment& variables) : variables_(variables) {}

  /// The first that is set.
  std::optional<std::string> value(const names& alternatives) {
    for (const auto* const name : alternatives) {
      if (!name) break;
      const auto value = variables_(name);
      if (!value) continue;
      name_ = name;
      const auto seen = fmt::format("{}={}", name, common::printable_in_short(*value));
      if (std::ranges::find(seen_, seen) == seen_.end()) seen_.push_back(seen);
      return value;
    }
    return std::nullopt;
  }

  std::string text(const names& alternatives) {
    return common::printable(value(alternatives).value_or(""));
  }

  /// Throws bad_rank.
  std::optional<std::size_t> number(const names& alternatives, std::size_t least,
                                    std::size_t most) {
    const auto text = value(alternatives);
    if (!text) return std::nullopt;
    const auto number = common::number_from<std::size_t>(*text);
    if (!number || *number < least || *number > most)
      throw bad_rank(fmt::format("bad {} '{}': it is no whole number from {} to {}", name_,
                                 common::printable_in_short(*text), least, most));
    return number;
  }

  /// "RANK=1, WORLD_SIZE=2"
  [[nodiscard]] std::string seen() const { return fmt::format("{}", fmt::join(seen_, ", ")); }

 private:
  const environment& variables_;
  const char* name_ = "";
  std::vector<std::string> seen_;
};

bool is_any_set(const environment& variables, const names& alternatives) {
  return std::ranges::any_of(alternatives,
                             [&](const char* name) { return name && variables(name); });
}

/// A step that srun has not started: an interactive shell, a batch script, or what an ssh session
/// joins (slurm.h, SLURM_INTERACTIVE_STEP and above).
bool is_started_by_srun(const environment& variables) {
  constexpr std::size_t first_special = 4'294'967'290;
  std::size_t step = 0;
  const auto text = reader(variables).text({"SLURM_STEP_ID", "SLURM_STEPID"});
  std::from_chars(text.data(), text.data() + text.size(), step);
  return step < first_special;
}

bool has_started(const launcher& known, const environment& variables) {
  const auto is_there = [&](const names& alternatives) {
    return !alternatives.front() || is_any_set(variables, alternatives);
  };
  if (!is_there(known.rank) || !std::ranges::all_of(known.also, is_there)) return false;
  // Of such a step the job's number of tasks says nothing.
  return known.name != std::string_view("slurm") || is_started_by_srun(variables) ||
         variables("SLURM_STEP_NUM_TASKS");
}

/// The last switch on the way to the node: "s0.s4.node7" with the pattern "switch.switch.node" is
/// "s4" (sbatch(1), SLURM_TOPOLOGY_ADDR).
std::string leaf_switch(const environment& variables) {
  reader read(variables);
  const auto address = read.text({"SLURM_TOPOLOGY_ADDR"});
  const auto pattern = read.text({"SLURM_TOPOLOGY_ADDR_PATTERN"});
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

/// Where the launcher has no variable of its own for it. Throws bad_rank.
std::optional<std::size_t> derived_local_size(reader& read, const launched_rank& told) {
  if (told.launcher == "slurm") {
    // The job's list says nothing of a step with a number of its own.
    const auto list = read.value({"SLURM_STEP_NUM_TASKS"})
                          ? read.value({"SLURM_STEP_TASKS_PER_NODE"})
                          : read.value({"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"});
    const auto node = read.number({"SLURM_NODEID"}, 0, most_launched_ranks);
    return list && node ? in_repeated_list(*list, *node) : std::nullopt;
  }
  if (told.launcher == "flux") {
    const auto nodes = read.number({"FLUX_JOB_NNODES"}, 1, most_launched_ranks);
    if (nodes && told.world_size && *told.world_size % *nodes == 0)
      return *told.world_size / *nodes;
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

std::optional<launched_rank> rank_of(const environment& variables,
                                     std::optional<std::size_t> ranks_per_node) {
  const auto known = std::ranges::find_if(
      launchers, [&](const launcher& tried) { return has_started(tried, variables); });
  if (known == launchers.end()) return std::nullopt;
  reader read(variables);
  launched_rank found;
  found.launcher = known->name;
  found.rank = read.number(known->rank, 0, most_launched_ranks - 1).value();
  found.world_size = read.number(known->size, 1, most_launched_ranks);
  found.local_rank = read.number(known->local_rank, 0, most_ranks_of_node - 1);
  if (ranks_per_node)
    found.local_size = ranks_per_node;
  else if (known->local_size.front())
    found.local_size = read.number(known->local_size, 1, most_ranks_of_node);
  else
    found.local_size = derived_local_size(read, found);
  found.seen = read.seen();
  if (const auto why = why_impossible(found))
    throw bad_rank(fmt::format("{} ({})", *why, found.seen));
  found.node = reader(variables).text(known->node);
  found.rack = leaf_switch(variables);
  found.job = reader(variables).text(known->job);
  if (found.launcher == "slurm")
    found.job += "." + reader(variables).text({"SLURM_STEP_ID", "SLURM_STEPID"});
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
    reader read(variables);
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

bool is_rank_of_node(std::size_t rank, std::size_t local_rank,
                     std::span<const std::optional<std::size_t>> known,
                     std::optional<std::size_t> world_size) {
  if (local_rank >= known.size()) return false;
  if (known[local_rank]) return *known[local_rank] == rank;
  const auto fits = [&](std::size_t step, std::size_t tried, std::size_t local) {
    for (std::size_t other = 0; other < known.size(); ++other)
      if (known[other] && *known[other] + step * local != tried + step * other) return false;
    return true;
  };
  const auto first = std::ranges::find_if(known, [](const auto& one) { return one.has_value(); });
  if (first == known.end()) return false;
  const auto first_local = static_cast<std::size_t>(first - known.begin());
  for (const auto step : {std::size_t{1}, world_size.value_or(0) / known.size()})
    if (step > 0 && fits(step, **first, first_local)) return fits(step, rank, local_rank);
  return false;
}

}  // namespace bench_transfers::fleet
