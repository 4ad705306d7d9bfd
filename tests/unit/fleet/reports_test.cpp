#include "src/fleet/report/reports.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>

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
            HasSubstr("GPU GPU-node5-2 (node5 in rack rack0): slower by "),
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

TEST_F(reported, json_has_the_scores_of_all_gpus) {
  const auto answer = nlohmann::json::parse(json_of(measured, judge(measured, settings::usual())));
  const auto& scores = answer.at("scores");
  ASSERT_EQ(scores.at("aspects").size(), 8U);
  EXPECT_EQ(scores["aspects"][0].at("code"), "link/h2d");
  EXPECT_EQ(scores["aspects"][1].at("code"), "link/h2d/together");
  ASSERT_EQ(scores.at("gpus").size(), measured.gpus.size());
  for (const auto& gpu : scores["gpus"]) {
    const bool slow = gpu.at("uuid") == "GPU-node5-2";
    ASSERT_EQ(gpu.at("slower_percent").size(), 8U);
    if (slow || gpu.at("node") != "node12") {
      EXPECT_NEAR(gpu["slower_percent"][0].get<double>(), slow ? 5 : 0, 1.5);
    }
  }
}

TEST_F(reported, json_says_what_to_do) {
  const auto answer = nlohmann::json::parse(json_of(measured, judge(measured, settings::usual())));
  for (const auto& found : answer.at("findings")) {
    EXPECT_FALSE(found.at("advice").empty());
    EXPECT_EQ(found.at("reference"), "peers");
    EXPECT_EQ(found.at("since"), nullptr);
  }
}

TEST_F(reported, openmetrics_have_a_line_for_each_gpu_and_aspect) {
  measured.gpus[0].rack = "a \"quoted\\rack\"";
  const auto text = openmetrics_of(measured, judge(measured, settings::usual()));
  std::size_t lines = 0;
  for (auto at = text.find("\ntransfers_fleet_slower_ratio{"); at != std::string::npos;
       at = text.find("\ntransfers_fleet_slower_ratio{", at + 1))
    ++lines;
  EXPECT_EQ(lines, 8 * measured.gpus.size());
  EXPECT_THAT(text, AllOf(HasSubstr("# TYPE transfers_fleet_verdict gauge\n"),
                          HasSubstr("transfers_fleet_verdict{verdict=\"named\"} 1\n"),
                          HasSubstr(R"(rack="a \"quoted\\rack\"")"), testing::EndsWith("# EOF\n"),
                          HasSubstr(R"(code="missing")")));
}

TEST_F(reported, markdown_shows_names_as_they_are) {
  measured.gpus[22].node = "a|b<script>";
  for (auto& times : measured.gpus[22].times)
    for (auto& run : times)
      for (auto& time : run) time *= 3;
  const auto text = markdown_of(measured, judge(measured, settings::usual()));
  EXPECT_THAT(text, AllOf(HasSubstr("## Fleet: named"), HasSubstr("GPU-node5-2"),
                          HasSubstr("rank 30"), HasSubstr("x.json"),
                          testing::Not(HasSubstr("<script>")), testing::Not(HasSubstr("a|b"))));
}

TEST_F(reported, answers_say_first_that_no_gpu_was_measured) {
  for (auto& gpu : measured.gpus) gpu.on_host = true;
  measured.world_size.reset();
  const auto judged = judge(measured, settings::usual());
  const auto* first = "unknown: no GPU was measured: 64 host devices on 16 nodes\n";
  EXPECT_THAT(text_of(measured, judged), testing::StartsWith(first));
  EXPECT_THAT(text_of(measured, judged), HasSubstr("GPU-node5-2"));
  EXPECT_THAT(markdown_of(measured, judged), HasSubstr("no GPU was measured: 64 host devices"));
  EXPECT_THAT(junit_of(measured, judged, {}), HasSubstr(R"(failures="0")"));
  measured.gpus[0].on_host = false;
  EXPECT_THAT(text_of(measured, judge(measured, settings::usual())),
              HasSubstr(": 1 GPU and 63 host devices on 16 nodes"));
}

TEST_F(reported, slow_host_devices_are_shown_and_not_named) {
  for (auto& gpu : measured.gpus) gpu.on_host = true;
  measured.world_size.reset();
  const auto judged = judge(measured, settings::usual());
  const auto metrics = openmetrics_of(measured, judged);
  EXPECT_THAT(metrics, HasSubstr("transfers_fleet_findings 0\n"));
  EXPECT_THAT(metrics, testing::Not(HasSubstr("transfers_fleet_finding{")));
  EXPECT_THAT(metrics, testing::Not(HasSubstr("transfers_fleet_finding_slower_ratio{")));
  EXPECT_THAT(table_of(measured, judged, {}), testing::Not(HasSubstr("  named\n")));
  const auto answer = nlohmann::json::parse(json_of(measured, judged));
  EXPECT_TRUE(answer.at("findings").empty());
  ASSERT_EQ(answer.at("not_named").size(), 2U);
  EXPECT_EQ(answer.at("not_named")[0].at("node"), "node12");
  EXPECT_EQ(answer.at("not_named")[1].at("gpu"), "GPU-node5-2");
  const auto* title = "Slow host devices, which are not named";
  EXPECT_THAT(text_of(measured, judged), HasSubstr(title));
  EXPECT_THAT(markdown_of(measured, judged), HasSubstr(title));
  // Their wrong data are named.
  measured.gpus[3].wrong_data = {"copy/pinned/h2d/1MiB"};
  const auto wrong = openmetrics_of(measured, judge(measured, settings::usual()));
  EXPECT_THAT(wrong, HasSubstr("transfers_fleet_findings 1\n"));
  EXPECT_THAT(wrong, HasSubstr(R"(code="wrong_data")"));
}

TEST_F(reported, markdown_stays_short) {
  std::mt19937_64 random(1);
  measured = simulation::make_up({.nodes = 100, .gpus_in_node = 5}, {}, random);
  for (auto& gpu : measured.gpus) gpu.wrong_data = {"copy/pinned/h2d/1MiB"};
  const auto text = markdown_of(measured, judge(measured, settings::usual()));
  EXPECT_LT(text.size(), 65'536U);
  EXPECT_THAT(text, HasSubstr("more, for which there is no room here"));
}

TEST_F(reported, junit_has_a_case_for_each_node) {
  const auto text = junit_of(measured, judge(measured, settings::usual()), {});
  EXPECT_THAT(text, AllOf(HasSubstr(R"(classname="fleet_transfers.nodes" name="node12")"),
                          HasSubstr(R"(<failure type="slow")"), HasSubstr(R"(failures="3")"),
                          HasSubstr(R"(errors="1")"), HasSubstr("unusable_file")));
}

TEST_F(reported, doubts_are_explained) {
  measured.gpus[3].times[0].clear();
  const auto judged = judge(measured, settings::usual());
  EXPECT_THAT(text_of(measured, judged),
              HasSubstr("1 GPU lacks figures that most peers have: GPU-node0-3 (node0) "
                        "[missing_figures]"));
  const auto answer = nlohmann::json::parse(json_of(measured, judged));
  ASSERT_EQ(answer.at("doubts").size(), 1U);
  EXPECT_EQ(answer["doubts"][0].at("code"), "missing_figures");
  EXPECT_EQ(answer["doubts"][0].at("gpus")[0], measured.gpus[3].uuid);
  EXPECT_EQ(answer["doubts"][0].at("text"), "lacks figures that most peers have");
  measured.gpus[4].times[0].clear();
  EXPECT_THAT(text_of(measured, judge(measured, settings::usual())),
              HasSubstr("2 GPUs lack figures that most peers have: GPU-node0-3 (node0), "));
}

TEST_F(reported, many_problems_of_one_kind_are_one_line_with_their_number) {
  const auto judged = judge(measured, settings::usual());
  measured.problems.clear();
  for (int i = 0; i < 3; ++i)
    measured.problems.push_back({"same_gpu", {}, fmt::format("twice {}", i)});
  for (int i = 0; i < 628; ++i)
    measured.problems.push_back({"unusable_file", {}, fmt::format("cannot read {}.json", i)});
  EXPECT_THAT(text_of(measured, judged),
              HasSubstr("Problems:\n  twice 0 [same_gpu]\n  twice 1 [same_gpu]\n  twice 2 "
                        "[same_gpu]\n  cannot read 0.json; and 627 more problems of this kind "
                        "[unusable_file]\nA part"));
}

TEST_F(reported, parts_that_take_more_than_twice_as_long_are_said_in_words) {
  auto judged = judge(measured, settings::usual());
  for (auto& tested : judged.tested) tested.detectable = 359.299;
  EXPECT_THAT(text_of(measured, judged), HasSubstr("link: a GPU slower by a factor of 360"));
}

TEST_F(reported, unfinished_runs_are_said_in_all_forms) {
  std::mt19937_64 random(3);
  measured = simulation::make_up({.nodes = 16, .gpus_in_node = 4}, {}, random);
  const std::string text = "rank 9, GPU GPU-node2-1 on node node2 did not finish its run";
  measured.problems = {{"incomplete_run", {{"gpu", "GPU-node2-1"}, {"node", "node2"}}, text}};
  const auto judged = judge(measured, settings::usual());
  EXPECT_EQ(judged.verdict, verdict::unknown);
  EXPECT_THAT(text_of(measured, judged), HasSubstr(text + " [incomplete_run]"));
  EXPECT_THAT(table_of(measured, judged), HasSubstr(text));
  EXPECT_THAT(markdown_of(measured, judged), HasSubstr(text));
  // In the test case of its node, which would pass otherwise.
  EXPECT_THAT(junit_of(measured, judged, {}),
              ContainsRegex("name=\"node2\"[^>]*>[[:space:]]*<error type=\"incomplete_run\""));
}

TEST_F(reported, runs_in_parts_are_said_and_change_no_verdict) {
  const auto before = judge(measured, settings::usual()).verdict;
  measured.gpus[0].parts = 3;
  const auto judged = judge(measured, settings::usual());
  EXPECT_EQ(judged.verdict, before);
  const auto sentence =
      testing::ContainsRegex("GPU GPU-node0-0 [(]node0[^)]*[)] was measured in 3 parts");
  EXPECT_THAT(text_of(measured, judged), sentence);
  EXPECT_THAT(table_of(measured, judged), sentence);
  EXPECT_THAT(markdown_of(measured, judged), sentence);
  const auto document = nlohmann::json::parse(json_of(measured, judged));
  EXPECT_EQ(document.at("in_parts"), (nlohmann::json{{{"gpu", "GPU-node0-0"}, {"parts", 3}}}));
}

TEST_F(reported, junit_says_each_thing_on_a_line_of_its_own) {
  const auto text = junit_of(measured, judge(measured, settings::usual()), {});
  EXPECT_THAT(
      text, AllOf(ContainsRegex("message=\"GPU GPU-node5-2: slow, slower by [0-9.]+ %\""),
                  HasSubstr("who: GPU GPU-node5-2 (node5 in rack rack0)\nwhat: slow\nwhere: link "),
                  HasSubstr("\nslower by: "), HasSubstr("\nhow sure: "),
                  HasSubstr("\nwhat to do: confirm it by a second sweep")));
}

TEST_F(reported, junit_counts_what_else_a_node_has) {
  measured.gpus[0].wrong_data = {"copy/pinned/h2d/1MiB"};
  measured.gpus[1].wrong_data = {"copy/pinned/h2d/1MiB"};
  EXPECT_THAT(junit_of(measured, judge(measured, settings::usual()), {}),
              HasSubstr("message=\"GPU GPU-node0-0: wrong_data; and 1 more\""));
}

TEST_F(reported, markdown_shows_brackets_that_are_no_links) {
  const auto text = markdown_of(measured, judge(measured, settings::usual()));
  EXPECT_THAT(text, AllOf(HasSubstr(" [missing]\n"), HasSubstr(" [unusable_file]\n"),
                          ContainsRegex("% [[][0-9.]+ %, [0-9.]+ %[]] ")));
  measured.problems[0].text = "[x] [a](b) [c][d] [e]: f";
  EXPECT_THAT(markdown_of(measured, judge(measured, settings::usual())),
              HasSubstr("- &#91;x] [a&#93;(b) [c&#93;[d] [e&#93;: f [unusable_file]\n"));
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
  const auto judged = judge(measured, settings::usual());
  const auto table = table_of(measured, judged);
  EXPECT_THAT(table, ContainsRegex("GPU-node5-2 +node5 +rack0 +[+][45][.]"));
  EXPECT_THAT(table, AllOf(HasSubstr("[missing]"), HasSubstr("[unusable_file]"),
                           HasSubstr("  named\n"), HasSubstr("d2h*")));
  EXPECT_THAT(table, HasSubstr("-: not measured"));
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U);
  const auto slowest = table_of(measured, judged, 5);
  EXPECT_THAT(slowest, AllOf(HasSubstr("GPU-node12-0"), HasSubstr("GPU-node5-2"),
                             testing::Not(HasSubstr("GPU-node0-0"))));
}

}  // namespace
}  // namespace bench_transfers::fleet::reports_test
