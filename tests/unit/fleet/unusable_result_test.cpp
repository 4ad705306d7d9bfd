#include "src/fleet/io/unusable_result.hpp"

#include <gtest/gtest.h>

#include <string>

#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::fleet::unusable_result_test {
namespace {

using json = nlohmann::ordered_json;

result_file::beginning told(const nlohmann::json& fleet, std::set<std::string> gpus) {
  result_file::beginning beginning;
  beginning.is_of_bench_transfers = true;
  beginning.fleet = fleet;
  beginning.gpus = std::move(gpus);
  return beginning;
}

TEST(unusable_result, names_whose_it_is) {
  const auto problem = unusable_result(
      "n1/x.json", "folder",
      told({{"sweep", "monday"}, {"rank", 3U}, {"node", "n1"}, {"world_size", 8}}, {"GPU-a"}),
      "cannot use it");
  EXPECT_EQ(problem.code, unusable_file_code);
  EXPECT_EQ(problem.data, json({{"gpu", "GPU-a"},
                                {"gpus", json::array({"GPU-a"})},
                                {"node", "n1"},
                                {"rank", 3U},
                                {"sweep", "monday"},
                                {"file", "n1/x.json"}}));
  EXPECT_EQ(problem.text, "rank 3, GPU GPU-a, node n1: cannot use it");
}

TEST(unusable_result, of_several_devices_is_of_no_one_gpu) {
  const auto problem =
      unusable_result("x.json", "folder", told(nullptr, {"GPU-a", "GPU-b"}), "cannot use it");
  EXPECT_TRUE(problem.data.at("gpu").is_null());
  EXPECT_EQ(problem.data.at("gpus"), json({"GPU-a", "GPU-b"}));
  EXPECT_EQ(problem.data.at("node"), "folder");
  EXPECT_TRUE(problem.data.at("rank").is_null());
  EXPECT_EQ(problem.text, "GPUs GPU-a, GPU-b, node folder: cannot use it");
}

TEST(unusable_result, is_of_a_rank_even_if_nothing_can_be_read) {
  result_file::beginning empty;
  empty.is_cut_off = true;
  for (const auto& known : {std::optional<result_file::beginning>(), std::optional(empty)}) {
    const auto problem = unusable_result("x.json", "folder", known, "cannot use it");
    EXPECT_EQ(problem.data.at("node"), "folder");
    EXPECT_EQ(problem.text, "node folder: cannot use it");
    EXPECT_EQ(unusable_result("x.json", "", known, "cannot use it").text, "cannot use it");
  }
}

TEST(unusable_result, of_another_program_is_of_no_rank) {
  const auto problem =
      unusable_result("x.json", "folder", result_file::beginning{}, "cannot use it");
  EXPECT_EQ(problem.data, json({{"file", "x.json"}}));
  EXPECT_EQ(problem.text, "cannot use it");
}

TEST(unusable_result, survives_hostile_values) {
  const auto problem = unusable_result(
      "x\n.json", "folder",
      told({{"sweep", 5}, {"rank", std::uint64_t{1} << 63}, {"node", "a\nb"}}, {"GPU-\x1b[2J"}),
      "why");
  EXPECT_TRUE(problem.data.at("sweep").is_null());
  EXPECT_TRUE(problem.data.at("rank").is_null());
  EXPECT_EQ(problem.data.at("node"), R"(a\nb)");
  EXPECT_EQ(problem.data.at("file"), R"(x\n.json)");
  EXPECT_EQ(problem.text, R"(GPU GPU-\x1b[2J, node a\nb: why)");
}

}  // namespace
}  // namespace bench_transfers::fleet::unusable_result_test
