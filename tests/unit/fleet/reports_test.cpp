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

TEST_F(reported, doubts_are_explained) {
  measured.gpus[3].times[0].clear();
  const auto judged = judge(measured, settings::usual());
  EXPECT_THAT(text_of(measured, judged),
              HasSubstr("1 GPU without figures that most peers have [missing_figures]"));
  const auto answer = nlohmann::json::parse(json_of(measured, judged));
  ASSERT_EQ(answer.at("doubts").size(), 1U);
  EXPECT_EQ(answer["doubts"][0].at("code"), "missing_figures");
  EXPECT_EQ(answer["doubts"][0].at("gpus")[0], measured.gpus[3].uuid);
}

TEST_F(reported, links_are_shown_as_far_as_they_are_known) {
  for (auto& gpu : measured.gpus) gpu.link.width = 16;
  measured.gpus[3].link.width = 8;
  EXPECT_THAT(text_of(measured, judge(measured, settings::usual())),
              HasSubstr("its link is Gen? x8 [link_width]"));
}

TEST_F(reported, evidence_is_that_of_all_gpus_of_the_part) {
  for (auto& gpu : measured.gpus) gpu.link = {5, 16, 5, 16};
  for (std::size_t i = 0; i < measured.gpus.size(); ++i)
    if (measured.gpus[i].node == "node12")
      measured.gpus[i].warnings = {"w" + std::to_string(i % 2)};
  const auto answer = nlohmann::json::parse(json_of(measured, judge(measured, settings::usual())));
  const auto& evidence = answer.at("findings")[0].at("evidence");
  EXPECT_EQ(evidence.at("link").at("width"), 16);
  EXPECT_EQ(evidence.at("warnings").size(), 2U);
}

TEST_F(reported, wrong_data_is_named_with_its_benchmarks) {
  measured.gpus[3].wrong_data = {"copy/pinned/h2d/1MiB"};
  const auto judged = judge(measured, settings::usual());
  EXPECT_THAT(text_of(measured, judged),
              HasSubstr("wrong data in copy/pinned/h2d/1MiB [wrong_data]"));
  const auto answer = nlohmann::json::parse(json_of(measured, judged));
  for (const auto& found : answer.at("findings"))
    if (found.at("code") == "wrong_data") {
      EXPECT_EQ(found.at("class"), nullptr);
      EXPECT_EQ(found.at("evidence").at("benchmarks").size(), 1U);
    }
}

TEST_F(reported, table_shows_each_gpu_beside_its_peers) {
  const auto table = table_of(measured);
  EXPECT_THAT(table, ContainsRegex("GPU-node5-2 +node5 +rack0 +[+][45][.]"));
  EXPECT_THAT(table, AllOf(HasSubstr("[missing]"), HasSubstr("[unusable_file]")));
}

}  // namespace
}  // namespace bench_transfers::fleet::reports_test
