#include "src/result_file/beginning.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "src/common/gzip.hpp"
#include "src/common/quantities.hpp"
#include "tests/basics.hpp"
#include "tests/unit/common/temporary_folder.hpp"

namespace bench_transfers::result_file::beginning_test {
namespace {

const json fleet{{"sweep", "monday"}, {"rank", 31}, {"node", "n1"}, {"rack", nullptr}};

/// A result of two devices, as `bench_transfers` writes it.
std::string text_of_result() {
  const json rows{{{"name", "copy/pinned/h2d/1MiB"}, {"real_time", 1.5}},
                  {{"name", "copy/pinned/d2h/1MiB"}, {"real_time", 1.5}}};
  return json{{"context",
               {{"host_name", "by-name"},
                {"caches", {{{"size", 1}}}},
                {"transfers",
                 {{"complete", true},
                  {"run", {{"started_utc", "2026-11-22T10:00:00Z"}}},
                  {"fleet", fleet},
                  {"devices", {{{"uuid", "GPU-a"}}, {{"uuid", "GPU-b"}}}},
                  {"device", {{"uuid", "GPU-a"}}},
                  {"benchmarks", {{"copy/pinned/h2d/1MiB", {{"family", "copy"}}}}}}}}},
              {"benchmarks", rows}}
      .dump();
}

/// Before its rows, at their beginning, in them, right at the end, and the whole.
std::vector<std::string> cuts_at_benchmarks(const std::string& text) {
  const auto rows = text.rfind("\"benchmarks\"");
  std::vector<std::string> cuts;
  for (const auto bytes :
       {rows - 1, rows, rows + 5, rows + 14, rows + 40, text.size() - 1, text.size()})
    cuts.push_back(text.substr(0, bytes));
  return cuts;
}

void expect_all(const beginning& told, const std::string& text) {
  EXPECT_TRUE(told.is_of_bench_transfers) << text;
  EXPECT_TRUE(told.is_complete) << text;
  EXPECT_EQ(told.fleet, nlohmann::json(fleet)) << text;
  EXPECT_EQ(told.started, common::parse_timestamp("2026-11-22T10:00:00Z")) << text;
  EXPECT_THAT(told.gpus, ElementsAre("GPU-a", "GPU-b")) << text;
}

class beginning_of_a_file : public testing::Test {
 protected:
  [[nodiscard]] std::optional<beginning> of_file(const std::string& bytes) const {
    const auto file = folder.path() / "GPU-1.json";
    std::ofstream(file, std::ios::binary) << bytes;
    return beginning_of_file(file);
  }

  const common::temporary_folder folder;
};

TEST_F(beginning_of_a_file, tells_all_wherever_the_rest_is_cut_off) {
  for (const auto& text : cuts_at_benchmarks(text_of_result())) {
    expect_all(beginning_of_text(text, true), text);
    expect_all(beginning_of_bytes(text), text);
    expect_all(of_file(text).value(), text);
  }
}

TEST_F(beginning_of_a_file, may_be_packed) {
  const auto text = text_of_result();
  const auto packed = common::packed(text);
  for (const auto& bytes : {packed, common::packed(cuts_at_benchmarks(text)[4]),
                            packed.substr(0, packed.size() - 10)}) {
    expect_all(beginning_of_bytes(bytes), "packed");
    expect_all(of_file(bytes).value(), "packed");
  }
}

TEST(beginning, knows_no_part_of_a_fleet) {
  const auto text = text_of_result();
  // "rank":3 of "rank":31, and before the object's end.
  for (const auto end :
       {text.find("31") + 1, text.find("\"rack\""), text.find(R"(,"devices")") - 1}) {
    const auto told = beginning_of_text(text.substr(0, end), true);
    EXPECT_TRUE(told.fleet.is_null()) << end;
    EXPECT_TRUE(told.is_cut_off) << end;
    EXPECT_TRUE(told.is_of_bench_transfers) << end;
    EXPECT_TRUE(told.started.has_value()) << end;
  }
}

TEST(beginning, is_cut_off_only_if_the_text_is_whole) {
  const auto text = text_of_result();
  for (const auto& cut :
       {text.substr(0, 1), text.substr(0, 30), std::string(), std::string(" \n")}) {
    EXPECT_TRUE(beginning_of_text(cut, true).is_cut_off) << cut;
    EXPECT_FALSE(beginning_of_text(cut, false).is_cut_off) << cut;
    EXPECT_FALSE(beginning_of_text(cut, true).is_of_bench_transfers) << cut;
  }
  EXPECT_FALSE(beginning_of_text(text, true).is_cut_off);
}

TEST(beginning, of_other_files_tells_nothing) {
  for (const std::string text :
       {R"({"context": {"host_name": "x"}, "benchmarks": [{"name": "y"}]})",
        R"({"context": {"host_name": "x"}, "benchmarks": [{"na)", "{}", "[1, 2]", "nonsense",
        R"({"kind": "fleet_sweep"})"}) {
    const auto told = beginning_of_text(text, true);
    EXPECT_FALSE(told.is_of_bench_transfers) << text;
    EXPECT_FALSE(told.is_cut_off) << text;
    EXPECT_TRUE(told.fleet.is_null()) << text;
    EXPECT_THAT(told.gpus, IsEmpty()) << text;
  }
}

TEST_F(beginning_of_a_file, is_unknown_if_it_cannot_be_read) {
  EXPECT_EQ(beginning_of_file(folder.path() / "nothing"), std::nullopt);
  EXPECT_EQ(beginning_of_file(folder.path()), std::nullopt);
  EXPECT_TRUE(of_file("").value().is_cut_off);
}

/// That of a text of a mebibyte of keys: none of them may cost the length of all before.
TEST(beginning, of_a_deep_text_is_nothing) {
  std::string text;
  while (text.size() < std::size_t{1} << 20) text += R"({"a":)";
  EXPECT_TRUE(beginning_of_text(text, true).is_cut_off);
}

}  // namespace
}  // namespace bench_transfers::result_file::beginning_test
