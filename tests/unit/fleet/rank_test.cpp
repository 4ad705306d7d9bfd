#include "src/fleet/launcher/rank.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace bench_transfers::fleet::rank_test {
namespace {

using testing::HasSubstr;
using testing::Optional;
using testing::StartsWith;

environment of(const std::map<std::string, std::string>& variables) {
  return [variables](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

/// Rank 1 of 2.
environment of_torchrun(std::map<std::string, std::string> variables) {
  variables.insert({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"LOCAL_RANK", "1"}});
  return of(variables);
}

std::string why_bad(const std::map<std::string, std::string>& variables) {
  try {
    rank_of(of(variables));
  } catch (const bad_rank& bad) {
    return bad.what();
  }
  return "accepted";
}

TEST(rank, of_a_process_started_by_hand_is_none) {
  EXPECT_FALSE(rank_of(of({})));
  EXPECT_FALSE(rank_of(of({{"SLURM_JOB_ID", "17"}})));
}

TEST(rank, is_told_by_slurm_with_node_and_switch) {
  const auto found = rank_of(of({{"SLURM_PROCID", "9"},
                                 {"SLURM_STEP_ID", "0"},
                                 {"SLURM_NTASKS", "16"},
                                 {"SLURM_LOCALID", "1"},
                                 {"SLURMD_NODENAME", "n2"},
                                 {"SLURM_TOPOLOGY_ADDR", "s0.s4.n2"},
                                 {"SLURM_TOPOLOGY_ADDR_PATTERN", "switch.switch.node"}}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->launcher, "slurm");
  EXPECT_EQ(found->rank, 9U);
  EXPECT_EQ(found->world_size, 16U);
  EXPECT_EQ(found->local_rank, 1U);
  EXPECT_EQ(found->node, "n2");
  EXPECT_EQ(found->rack, "s4");
}

TEST(rank, without_switches_has_no_rack) {
  const auto found = rank_of(of({{"SLURM_PROCID", "0"},
                                 {"SLURM_STEP_ID", "0"},
                                 {"SLURM_TOPOLOGY_ADDR", "n2"},
                                 {"SLURM_TOPOLOGY_ADDR_PATTERN", "node"}}));
  EXPECT_EQ(found->rack, "");
}

TEST(rank, of_an_mpirun_inside_of_a_slurm_job_is_that_of_mpirun) {
  const auto found = rank_of(of({{"OMPI_COMM_WORLD_RANK", "3"},
                                 {"OMPI_COMM_WORLD_SIZE", "4"},
                                 {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                                 {"SLURM_PROCID", "0"},
                                 {"SLURM_NTASKS", "1"},
                                 {"SLURMD_NODENAME", "n2"}}));
  EXPECT_EQ(found->launcher, "open_mpi");
  EXPECT_EQ(found->rank, 3U);
  EXPECT_EQ(found->node, "") << "mpirun may have passed on the variable of its own node";
}

TEST(rank, of_a_program_in_a_batch_script_is_none) {
  EXPECT_FALSE(rank_of(of({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "16"}})));
}

TEST(rank, of_srun_with_pmi2_is_that_of_slurm) {
  const auto found = rank_of(of({{"PMI_RANK", "3"},
                                 {"PMI_SIZE", "4"},
                                 {"SLURM_STEP_ID", "0"},
                                 {"SLURM_PROCID", "3"},
                                 {"SLURM_NTASKS", "4"},
                                 {"SLURM_LOCALID", "1"},
                                 {"SLURMD_NODENAME", "n2"}}));
  EXPECT_EQ(found->launcher, "slurm");
  EXPECT_EQ(found->local_rank, 1U);
  EXPECT_EQ(found->node, "n2");
}

TEST(rank, is_told_by_every_launcher) {
  EXPECT_EQ(rank_of(of({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "1"}}))->launcher,
            "mpich");
  EXPECT_EQ(rank_of(of({{"FLUX_TASK_RANK", "1"}, {"FLUX_JOB_SIZE", "2"}}))->launcher, "flux");
  EXPECT_EQ(rank_of(of_torchrun({}))->launcher, "torchrun");
  EXPECT_EQ(rank_of(of_torchrun({{"NODE_NAME", "worker-3"}}))->node, "worker-3");
  const auto job = rank_of(of({{"JOB_COMPLETION_INDEX", "5"}, {"NODE_NAME", "worker-3"}}));
  EXPECT_EQ(job->launcher, "kubernetes");
  EXPECT_EQ(job->rank, 5U);
  EXPECT_EQ(job->world_size, std::nullopt);
  EXPECT_EQ(job->node, "worker-3");
}

TEST(rank, of_torchrun_has_all_of_its_variables) {
  EXPECT_FALSE(rank_of(of({{"RANK", "colonel"}})));
  EXPECT_FALSE(rank_of(of({{"RANK", "0"}, {"WORLD_SIZE", "1"}})));
  EXPECT_FALSE(rank_of(of({{"RANK", "0"}, {"LOCAL_RANK", "0"}})));
  const auto found = rank_of(of({{"RANK", "0"},
                                 {"SLURM_PROCID", "1"},
                                 {"SLURM_STEP_ID", "0"},
                                 {"SLURM_NTASKS", "2"},
                                 {"SLURM_LOCALID", "1"}}));
  EXPECT_EQ(found->launcher, "slurm");
  EXPECT_EQ(found->rank, 1U);
}

TEST(rank, is_half_told_where_variables_are_missing) {
  EXPECT_THAT(why_half_told(of({{"RANK", "0"}})),
              Optional(StartsWith("RANK without WORLD_SIZE and LOCAL_RANK: ")));
  EXPECT_THAT(why_half_told(of({{"RANK", "0"}, {"LOCAL_RANK", "0"}})),
              Optional(StartsWith("RANK and LOCAL_RANK without WORLD_SIZE: ")));
  EXPECT_THAT(why_half_told(of({{"WORLD_SIZE", "2"}})),
              Optional(StartsWith("WORLD_SIZE without RANK and LOCAL_RANK: ")));
  EXPECT_THAT(why_half_told(of({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}})),
              Optional(StartsWith("PMI_RANK and PMI_SIZE without MPI_LOCALRANKID: ")));
  EXPECT_THAT(why_half_told(of({{"OMPI_COMM_WORLD_SIZE", "2"}})),
              Optional(StartsWith("OMPI_COMM_WORLD_SIZE without ")));
}

TEST(rank, is_not_half_told_by_a_batch_script_or_by_nothing) {
  EXPECT_EQ(why_half_told(of({})), std::nullopt);
  EXPECT_EQ(why_half_told(of({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "16"}})), std::nullopt);
  EXPECT_EQ(why_half_told(of({{"FLUX_JOB_ID", "1"}, {"FLUX_JOB_SIZE", "16"}})), std::nullopt);
}

TEST(rank, that_cannot_be_is_refused_with_its_variable) {
  EXPECT_THAT(why_bad({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "-1"}}),
              HasSubstr("SLURM_PROCID '-1'"));
  EXPECT_THAT(why_bad({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", ""}}), HasSubstr("SLURM_PROCID"));
  EXPECT_THAT(why_bad({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "7x"}}), HasSubstr("'7x'"));
  EXPECT_THAT(why_bad({{"SLURM_STEP_ID", "0"}, {"SLURM_PROCID", "4"}, {"SLURM_NTASKS", "4"}}),
              HasSubstr("SLURM_NTASKS"));
  EXPECT_THAT(why_bad({{"OMPI_COMM_WORLD_RANK", "99999999999999999999"}}),
              HasSubstr("OMPI_COMM_WORLD_RANK"));
}

std::optional<std::size_t> ranks_of_slurm_node(const std::string& list, const std::string& node) {
  return rank_of(of({{"SLURM_PROCID", "0"},
                     {"SLURM_STEP_ID", "0"},
                     {"SLURM_STEP_TASKS_PER_NODE", list},
                     {"SLURM_NODEID", node}}))
      ->local_size;
}

TEST(rank, of_slurm_knows_how_many_its_node_has) {
  EXPECT_EQ(ranks_of_slurm_node("8(x2),4", "0"), 8U);
  EXPECT_EQ(ranks_of_slurm_node("8(x2),4", "1"), 8U);
  EXPECT_EQ(ranks_of_slurm_node("8(x2),4", "2"), 4U);
  EXPECT_EQ(ranks_of_slurm_node("8(x2),4", "3"), std::nullopt);
  for (const auto* const bad : {"", "eight", "8(x", "8(x2", "8(y2)"})
    EXPECT_EQ(ranks_of_slurm_node(bad, "1"), std::nullopt) << bad;
}

TEST(rank, knows_how_many_its_node_has_where_the_launcher_says_it) {
  EXPECT_EQ(rank_of(of_torchrun({{"LOCAL_WORLD_SIZE", "4"}}))->local_size, 4U);
  EXPECT_EQ(rank_of(of({{"FLUX_TASK_RANK", "1"}, {"FLUX_JOB_SIZE", "8"}, {"FLUX_JOB_NNODES", "2"}}))
                ->local_size,
            4U);
  EXPECT_EQ(rank_of(of({{"FLUX_TASK_RANK", "1"}, {"FLUX_JOB_SIZE", "9"}, {"FLUX_JOB_NNODES", "2"}}))
                ->local_size,
            std::nullopt);
  EXPECT_EQ(rank_of(of({{"JOB_COMPLETION_INDEX", "5"}}))->local_size, std::nullopt);
}

TEST(rank, beyond_those_of_its_node_is_bad) {
  EXPECT_THAT(
      why_bad({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"LOCAL_RANK", "4"}, {"LOCAL_WORLD_SIZE", "4"}}),
      HasSubstr("LOCAL_RANK 4"));
}

TEST(rank, knows_its_job) {
  EXPECT_EQ(
      rank_of(of({{"SLURM_PROCID", "0"}, {"SLURM_JOB_ID", "17"}, {"SLURM_STEP_ID", "3"}}))->job,
      "17.3");
  EXPECT_EQ(rank_of(of_torchrun({}))->job, "");
}

}  // namespace
}  // namespace bench_transfers::fleet::rank_test
