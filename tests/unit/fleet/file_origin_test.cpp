#include "src/fleet/io/file_origin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "src/common/packed.hpp"
#include "tests/unit/common/temporary_folder.hpp"

namespace bench_transfers::fleet::file_origin_test {
namespace {

using json = nlohmann::ordered_json;
using testing::ElementsAre;

/// A result of two devices, as `bench_transfers` writes it.
std::string text_of_result(json fleet) {
  const json rows{{{"name", "copy/pinned/h2d/1MiB"}, {"real_time", 1.5}},
                  {{"name", "copy/pinned/d2h/1MiB"}, {"real_time", 1.5}}};
  return json{{"context",
               {{"host_name", "by-name"},
                {"transfers",
                 {{"fleet", std::move(fleet)},
                  {"devices", {{{"uuid", "GPU-a"}}, {{"uuid", "GPU-b"}}}},
                  {"device", {{"uuid", "GPU-a"}}},
                  {"benchmarks", {{"copy/pinned/h2d/1MiB", {{"family", "copy"}}}}}}}}},
              {"benchmarks", rows}}
      .dump();
}

const json without_rank{{"sweep", "monday"}, {"rank", nullptr}, {"node", "n1"}};

/// Before its rows, at their beginning, in them, and right at the end.
std::vector<std::string> cuts_of(const std::string& text) {
  const auto rows = text.rfind("\"benchmarks\"");
  std::vector<std::string> cuts;
  for (const auto bytes : {rows - 1, rows, rows + 5, rows + 14, rows + 40, text.size() - 1})
    cuts.push_back(text.substr(0, bytes));
  return cuts;
}

TEST(origin, is_known_wherever_the_rest_is_cut_off) {
  for (const auto& text : cuts_of(text_of_result(without_rank))) {
    const auto origin = origin_of_text(text, true);
    EXPECT_TRUE(origin.is_result) << text;
    EXPECT_THAT(origin.gpus, ElementsAre("GPU-a", "GPU-b")) << text;
    EXPECT_EQ(origin.node, "n1") << text;
    EXPECT_EQ(origin.sweep, "monday") << text;
    EXPECT_EQ(origin.rank, std::nullopt) << text;
  }
}

TEST(origin, has_rank_and_world_size) {
  const auto origin =
      origin_of_text(cuts_of(text_of_result({{"rank", 3}, {"world_size", 8}}))[4], true);
  EXPECT_EQ(origin.rank, 3U);
  EXPECT_EQ(origin.world_size, 8U);
}

TEST(origin, of_packed_bytes_is_that_of_their_text) {
  const auto text = text_of_result(without_rank);
  const auto packed = common::packed(text);
  for (const auto& bytes :
       {packed, common::packed(cuts_of(text)[4]), packed.substr(0, packed.size() - 10)}) {
    EXPECT_THAT(origin_of_bytes(bytes).gpus, ElementsAre("GPU-a", "GPU-b"));
    const common::temporary_folder folder;
    const auto file = folder.path() / "result.json.gz";
    std::ofstream(file, std::ios::binary) << bytes;
    EXPECT_THAT(origin_of_file(file).gpus, ElementsAre("GPU-a", "GPU-b"));
  }
}

TEST(origin, is_no_result_if_another_program_wrote_it) {
  const std::string other = R"({"context": {"host_name": "x"}, "benchmarks": [{"name": "y"}]})";
  EXPECT_FALSE(origin_of_text(other, true).is_result);
  EXPECT_FALSE(origin_of_text(other.substr(0, other.size() - 5), true).is_result);
  EXPECT_FALSE(origin_of_text("{}", true).is_result);
  // What it is may have been cut off.
  EXPECT_TRUE(origin_of_text(other.substr(0, 20), true).is_result);
  EXPECT_FALSE(origin_of_text(other.substr(0, 20), false).is_result);
  for (const auto* blank : {"", " \n"}) EXPECT_TRUE(origin_of_text(blank, true).is_result);
}

}  // namespace
}  // namespace bench_transfers::fleet::file_origin_test
