#include "src/fleet/launcher/rank.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/common/complaint.hpp"

namespace bench_transfers::fleet::rank_test {
namespace {

/// Written as in a shell: "RANK=1 WORLD_SIZE=2".
struct variables : std::map<std::string, std::string> {
  variables() = default;
  variables(const char* text) {  // NOLINT(google-explicit-constructor)
    std::istringstream words(text);
    for (std::string word; words >> word;)
      emplace(word.substr(0, word.find('=')), word.substr(word.find('=') + 1));
  }
};

environment of(const variables& set) {
  return [set](const char* name) -> std::optional<std::string> {
    const auto found = set.find(name);
    return found == set.end() ? std::nullopt : std::optional(found->second);
  };
}

std::string why_bad(const variables& set) {
  return common::complaint_of<bad_rank>([&] { return rank_of(of(set)); }, "accepted");
}

/// "slurm 9/16 1/2 n2 s4": the launcher, the rank of all, that of the node, node and rack. "?" for
/// a number and "-" for a name that nobody tells; "none" without a rank.
std::string told(const environment& set) {
  const auto found = rank_of(set);
  if (!found) return "none";
  const auto number = [](const auto& is) { return is ? std::to_string(*is) : "?"; };
  const auto name = [](const std::string& is) { return is.empty() ? "-" : is; };
  return fmt::format("{} {}/{} {}/{} {} {}", found->launcher, found->rank,
                     number(found->world_size), number(found->local_rank),
                     number(found->local_size), name(found->node), name(found->rack));
}

TEST(rank, is_told_by_the_launcher_that_has_started_the_process) {
  const std::vector<std::pair<variables, std::string>> sets{
      // By hand, and in a batch script.
      {"", "none"},
      {"SLURM_JOB_ID=17", "none"},
      {"SLURM_PROCID=0 SLURM_NTASKS=16", "none"},
      {"SLURM_PROCID=9 SLURM_STEP_ID=0 SLURM_NTASKS=16 SLURM_LOCALID=1 SLURMD_NODENAME=n2 "
       "SLURM_TOPOLOGY_ADDR=s0.s4.n2 SLURM_TOPOLOGY_ADDR_PATTERN=switch.switch.node",
       "slurm 9/16 1/? n2 s4"},
      {"SLURM_PROCID=0 SLURM_STEP_ID=0 SLURM_TOPOLOGY_ADDR=n2 SLURM_TOPOLOGY_ADDR_PATTERN=node",
       "slurm 0/? ?/? - -"},
      // mpirun within a job of Slurm: it may have passed on the variable of its own node.
      {"OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=1 "
       "SLURM_PROCID=0 SLURM_NTASKS=1 SLURMD_NODENAME=n2",
       "open_mpi 3/4 1/? - -"},
      // srun with PMI-2.
      {"PMI_RANK=3 PMI_SIZE=4 SLURM_STEP_ID=0 SLURM_PROCID=3 SLURM_NTASKS=4 SLURM_LOCALID=1 "
       "SLURMD_NODENAME=n2",
       "slurm 3/4 1/? n2 -"},
      {"PMI_RANK=1 PMI_SIZE=2 MPI_LOCALRANKID=1", "mpich 1/2 1/? - -"},
      {"FLUX_TASK_RANK=1 FLUX_JOB_SIZE=2", "flux 1/2 ?/? - -"},
      {"FLUX_TASK_RANK=1 FLUX_JOB_SIZE=8 FLUX_JOB_NNODES=2", "flux 1/8 ?/4 - -"},
      {"FLUX_TASK_RANK=1 FLUX_JOB_SIZE=9 FLUX_JOB_NNODES=2", "flux 1/9 ?/? - -"},
      {"JOB_COMPLETION_INDEX=5", "kubernetes 5/? ?/? - -"},
      {"JOB_COMPLETION_INDEX=5 NODE_NAME=worker-3", "kubernetes 5/? ?/? worker-3 -"},
      {"PALS_RANKID=5 PALS_LOCAL_RANKID=1 PALS_LOCAL_SIZE=2", "pals 5/? 1/2 - -"},
      {"RANK=1 WORLD_SIZE=2 LOCAL_RANK=1", "torchrun 1/2 1/? - -"},
      {"RANK=1 WORLD_SIZE=2 LOCAL_RANK=1 NODE_NAME=worker-3", "torchrun 1/2 1/? worker-3 -"},
      {"RANK=1 WORLD_SIZE=2 LOCAL_RANK=1 LOCAL_WORLD_SIZE=2", "torchrun 1/2 1/2 - -"},
      // torchrun sets all of its variables.
      {"RANK=colonel", "none"},
      {"RANK=0 WORLD_SIZE=1", "none"},
      {"RANK=0 LOCAL_RANK=0", "none"},
      {"RANK=0 SLURM_PROCID=1 SLURM_STEP_ID=0 SLURM_NTASKS=2 SLURM_LOCALID=1",
       "slurm 1/2 1/? - -"}};
  for (const auto& [set, expected] : sets)
    EXPECT_EQ(told(of(set)), expected) << testing::PrintToString(set);
}

TEST(rank, is_half_told_where_variables_are_missing) {
  for (const auto& [set, lacks] : std::vector<std::pair<variables, std::string>>{
           {"RANK=0", "RANK=0 without WORLD_SIZE and LOCAL_RANK: "},
           {"RANK=0 LOCAL_RANK=0", "RANK=0, LOCAL_RANK=0 without WORLD_SIZE: "},
           {"WORLD_SIZE=2", "WORLD_SIZE=2 without RANK and LOCAL_RANK: "},
           {"PMI_RANK=0 PMI_SIZE=2",
            "PMI_RANK=0, PMI_SIZE=2 without MPI_LOCALRANKID or PMI_LOCAL_RANK or "
            "PALS_LOCAL_RANKID: "},
           {"OMPI_COMM_WORLD_SIZE=2", "OMPI_COMM_WORLD_SIZE=2 without "}})
    EXPECT_THAT(why_half_told(of(set)), Optional(StartsWith(lacks)));
  // Nothing, and what a batch script has.
  for (const auto* set : {"", "SLURM_PROCID=0 SLURM_NTASKS=16", "FLUX_JOB_ID=1 FLUX_JOB_SIZE=16"})
    EXPECT_EQ(why_half_told(of(set)), std::nullopt) << set;
}

TEST(rank, that_cannot_be_is_refused_with_its_variable) {
  EXPECT_THAT(why_bad("SLURM_STEP_ID=0 SLURM_PROCID=-1"), HasSubstr("SLURM_PROCID '-1'"));
  EXPECT_THAT(why_bad("SLURM_STEP_ID=0 SLURM_PROCID="), HasSubstr("SLURM_PROCID"));
  EXPECT_THAT(why_bad("SLURM_STEP_ID=0 SLURM_PROCID=7x"), HasSubstr("'7x'"));
  EXPECT_THAT(why_bad("SLURM_STEP_ID=0 SLURM_PROCID=4 SLURM_NTASKS=4"), HasSubstr("SLURM_NTASKS"));
  EXPECT_THAT(why_bad("OMPI_COMM_WORLD_RANK=99999999999999999999"),
              HasSubstr("OMPI_COMM_WORLD_RANK"));
}

std::optional<std::size_t> ranks_of_slurm_node(const std::string& list, const std::string& node) {
  variables set("SLURM_PROCID=0 SLURM_STEP_ID=0");
  set["SLURM_STEP_TASKS_PER_NODE"] = list;
  set["SLURM_NODEID"] = node;
  return rank_of(of(set))->local_size;
}

TEST(rank, of_slurm_knows_how_many_its_node_has) {
  EXPECT_EQ(ranks_of_slurm_node("8(x2),4", "0"), 8U);
  EXPECT_EQ(ranks_of_slurm_node("8(x2),4", "1"), 8U);
  EXPECT_EQ(ranks_of_slurm_node("8(x2),4", "2"), 4U);
  EXPECT_EQ(ranks_of_slurm_node("8(x2),4", "3"), std::nullopt);
  for (const auto* const bad : {"", "eight", "8(x", "8(x2", "8(y2)"})
    EXPECT_EQ(ranks_of_slurm_node(bad, "1"), std::nullopt) << bad;
}

/// What each launcher sets, for rank 5 of 8, the second of the second of four nodes.
const std::vector<std::pair<std::string, variables>>& launched() {
  static const std::vector<std::pair<std::string, variables>> sets{
      {"open_mpi",
       "OMPI_COMM_WORLD_RANK=5 OMPI_COMM_WORLD_SIZE=8 OMPI_COMM_WORLD_LOCAL_RANK=1 "
       "OMPI_COMM_WORLD_LOCAL_SIZE=2"},
      {"jsrun",
       "JSM_NAMESPACE_RANK=5 JSM_NAMESPACE_SIZE=8 JSM_NAMESPACE_LOCAL_RANK=1 "
       "JSM_NAMESPACE_LOCAL_SIZE=2"},
      {"mvapich",
       "MV2_COMM_WORLD_RANK=5 MV2_COMM_WORLD_SIZE=8 MV2_COMM_WORLD_LOCAL_RANK=1 "
       "MV2_COMM_WORLD_LOCAL_SIZE=2"},
      {"mvapich",
       "MVP_COMM_WORLD_RANK=5 MVP_COMM_WORLD_SIZE=8 MVP_COMM_WORLD_LOCAL_RANK=1 "
       "MVP_COMM_WORLD_LOCAL_SIZE=2"},
      {"torchrun", "RANK=5 WORLD_SIZE=8 LOCAL_RANK=1 LOCAL_WORLD_SIZE=2"},
      {"mpich", "PMI_RANK=5 PMI_SIZE=8 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=2"},
      {"mpich",  // PALS
       "PBS_JOBID=42.pbs PMI_RANK=5 PMI_SIZE=8 PMI_LOCAL_RANK=1 PMI_LOCAL_SIZE=2 PALS_RANKID=5 "
       "PALS_LOCAL_RANKID=1"},
      {"mpich",  // PALS without its own local rank
       "PALS_RANKID=5 PMI_SIZE=8 PALS_LOCAL_RANKID=1 PMI_LOCAL_SIZE=2"},
      {"flux", "FLUX_TASK_RANK=5 FLUX_JOB_SIZE=8 FLUX_TASK_LOCAL_ID=1 FLUX_JOB_NNODES=4"},
      {"slurm",
       "SLURM_STEP_ID=0 SLURM_PROCID=5 SLURM_NTASKS=8 SLURM_LOCALID=1 SLURM_NODEID=1 "
       "SLURM_STEP_TASKS_PER_NODE=2(x4)"},
      {"slurm",  // a step of a larger job
       "SLURM_STEPID=3 SLURM_PROCID=5 SLURM_NTASKS=64 SLURM_STEP_NUM_TASKS=8 SLURM_LOCALID=1 "
       "SLURM_NODEID=1 SLURM_TASKS_PER_NODE=16(x4) SLURM_STEP_TASKS_PER_NODE=2(x4)"},
      {"slurm",
       "SLURM_STEP_ID=0 SLURM_PROCID=5 SLURM_NPROCS=8 SLURM_LOCALID=1 SLURM_NODEID=1 "
       "SLURM_TASKS_PER_NODE=2(x4)"}};
  return sets;
}

TEST(rank, and_its_neighbours_are_told_by_each_launcher) {
  for (const auto& [launcher, set] : launched())
    EXPECT_EQ(told(of(set)), launcher + " 5/8 1/2 - -") << set.begin()->first;
}

/// Of each launcher one number at a time is one that cannot be.
TEST(rank, with_a_number_that_cannot_be_is_refused_by_its_variable_whoever_told_it) {
  for (const auto& [launcher, set] : launched())
    for (const auto& [name, value] : set) {
      // These count only where others are not set, or tell nothing of the rank.
      const bool is_used = rank_of(of(set))->seen.find(name + "=") != std::string::npos;
      if (!is_used || name.ends_with("PER_NODE")) continue;
      for (const auto* const bad : {"-1", "", "7x", "1000000000", "99999999999999999999"}) {
        auto changed = set;
        changed[name] = bad;
        EXPECT_THAT(why_bad(changed), HasSubstr("bad " + name + " '" + bad + "'"))
            << launcher << ' ' << value;
      }
    }
}

TEST(rank, in_numbers_that_contradict_each_other_names_them_all) {
  EXPECT_EQ(why_bad("RANK=0 WORLD_SIZE=1 LOCAL_RANK=0 LOCAL_WORLD_SIZE=5"),
            "this node cannot have 5 of 1 ranks: --ranks-per-node=N says how many this node has "
            "(RANK=0, WORLD_SIZE=1, LOCAL_RANK=0, LOCAL_WORLD_SIZE=5)");
  EXPECT_EQ(why_bad("PMI_RANK=1 PMI_SIZE=2 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=1"),
            "local rank 1 is none of the 1 ranks of this node: --ranks-per-node=N says how many "
            "this node has (PMI_RANK=1, PMI_SIZE=2, MPI_LOCALRANKID=1, MPI_LOCALNRANKS=1)");
  EXPECT_THAT(why_bad("RANK=8 WORLD_SIZE=8 LOCAL_RANK=0"),
              StartsWith("rank 8 is none of 8 (RANK=8, "));
  EXPECT_THAT(why_bad("RANK=1 WORLD_SIZE=2 LOCAL_RANK=5"),
              StartsWith("local rank 5 is none of the 2 ranks"));
  const variables slurm(
      "SLURM_STEP_ID=0 SLURM_PROCID=0 SLURM_NODEID=0 SLURM_STEP_TASKS_PER_NODE=100000000");
  EXPECT_THAT(why_bad(slurm), StartsWith("100000000 ranks of one node are more than 1024: "));
  const variables flux("FLUX_TASK_RANK=0 FLUX_JOB_SIZE=1000000 FLUX_JOB_NNODES=1");
  EXPECT_THAT(why_bad(flux), StartsWith("1000000 ranks of one node are more than 1024: "));
}

TEST(rank, of_a_node_has_as_many_beside_it_as_the_caller_says) {
  const variables old_hydra("PMI_RANK=1 PMI_SIZE=2 MPI_LOCALRANKID=1 MPI_LOCALNRANKS=1");
  EXPECT_EQ(rank_of(of(old_hydra), 2)->local_size, 2U);
  EXPECT_THROW(rank_of(of(old_hydra), 5), bad_rank);
}

TEST(rank, of_slurm_s_own_steps_is_the_step_s_or_none) {
  variables step(
      "SLURM_STEP_ID=4294967290 SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_NTASKS=8 "
      "SLURM_TASKS_PER_NODE=4(x2)");
  EXPECT_FALSE(rank_of(of(step))) << "the job's tasks are not the shell's";
  step["SLURM_STEP_NUM_TASKS"] = "1";
  step["SLURM_STEP_TASKS_PER_NODE"] = "1";
  step["SLURM_NODEID"] = "0";
  EXPECT_EQ(rank_of(of(step))->world_size, 1U);
  EXPECT_EQ(rank_of(of(step))->local_size, 1U);
}

TEST(rank, knows_its_job) {
  EXPECT_EQ(rank_of(of("SLURM_PROCID=0 SLURM_JOB_ID=17 SLURM_STEP_ID=3"))->job, "17.3");
  EXPECT_EQ(rank_of(of("RANK=1 WORLD_SIZE=2 LOCAL_RANK=1"))->job, "");
}

}  // namespace
}  // namespace bench_transfers::fleet::rank_test
