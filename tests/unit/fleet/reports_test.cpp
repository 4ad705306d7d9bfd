#include "src/fleet/report/reports.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "tests/simulation/made_up_fleet.hpp"

namespace bench_transfers::fleet::reports_test {
namespace {

using simulation::fault;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using where = simulation::fault::where;

/// A fleet with a slow GPU, a slow node, a rank without results and a file that is not usable.
class reported : public testing::Test {
 protected:
  reported() {
    std::mt19937_64 random(3);
    measured = simulation::make_up(
        {.nodes = 16, .gpus_in_node = 4, .nodes_in_rack = 8},
        {{where::gpu, "GPU-node5-2", 0.05}, {where::node, "node12", 1.0}}, random);
    for (std::size_t i = 0; i < measured.gpus.size(); ++i)
      measured.gpus[i].rank = i < 30 ? i : i + 1;
    measured.world_size = measured.gpus.size() + 1;
    measured.problems = {{"unusable_file", {{"file", "x.json"}}, "cannot read x.json"}};
  }

  sweep measured;
};

TEST_F(reported, text_names_who_how_much_and_what_to_do) {
  EXPECT_THAT(
      text_of(measured, judge(measured, settings::usual())),
      AllOf(HasSubstr("named: 64 GPUs on 16 nodes"),
            HasSubstr("GPU GPU-node5-2 (node5 in rack rack0): "), HasSubstr(" % slower ["),
            HasSubstr("node node12 in rack rack1: "), HasSubstr("[slow]"),
            HasSubstr("rank 30 left no results, on node node7 [missing]"),
            HasSubstr("cannot read x.json [unusable_file]"), HasSubstr("link: a GPU slower by ")));
}

TEST_F(reported, json_has_the_fields_that_the_docs_promise) {
  const auto answer = nlohmann::json::parse(json_of(measured, judge(measured, settings::usual())));
  EXPECT_EQ(answer.at("verdict"), "named");
  ASSERT_EQ(answer.at("findings").size(), 3U);
  const auto& node = answer["findings"][0];
  EXPECT_EQ(node.at("scope"), "node");
  EXPECT_EQ(node.at("node"), "node12");
  EXPECT_EQ(node.at("gpu"), nullptr);
  EXPECT_NEAR(node.at("slower_percent").get<double>(), 100, 3);
  const auto& gpu = answer["findings"][1];
  EXPECT_EQ(gpu.at("scope"), "gpu");
  EXPECT_EQ(gpu.at("gpu"), "GPU-node5-2");
  EXPECT_EQ(gpu.at("rack"), "rack0");
  EXPECT_EQ(gpu.at("code"), "slow");
  EXPECT_EQ(gpu.at("class"), "link");
  EXPECT_LT(gpu.at("interval_95")[0], gpu.at("slower_percent"));
  EXPECT_GT(gpu.at("confidence").get<double>(), 0.99);
  EXPECT_EQ(gpu.at("evidence").at("aspects").size(), 4U);
  const auto& missing = answer["findings"][2];
  EXPECT_EQ(missing.at("code"), "missing");
  EXPECT_EQ(missing.at("node"), "node7");
  EXPECT_EQ(missing.at("evidence").at("rank"), 30);
}

TEST_F(reported, table_shows_each_gpu_beside_its_peers) {
  const auto table = table_of(measured);
  EXPECT_THAT(table, ContainsRegex("GPU-node5-2 +node5 +rack0 +[+][45][.]"));
}

}  // namespace
}  // namespace bench_transfers::fleet::reports_test
