#include "bench/record/told_run.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "src/common/timestamp.hpp"
#include "tests/unit/common/temporary_folder.hpp"

namespace bench_transfers::bench::told_run_test {
namespace {

const std::string beginning = R"({"context": {"executable": "x", "caches": [{"size": 1}],
  "transfers": {"complete": true, "run": {"started_utc": "2026-11-22T10:00:00Z"},
  "fleet": {"sweep": "monday", "rank": 3, "node": "n1", "rack": null})";

class told_run_of_a_file : public testing::Test {
 protected:
  [[nodiscard]] told_run told(const std::string& text) const {
    const auto file = folder.path() / "GPU-1.json";
    std::ofstream(file) << text;
    return told_by(file);
  }

  const common::temporary_folder folder;
};

TEST_F(told_run_of_a_file, is_what_its_beginning_tells) {
  for (const auto* const rest : {R"(}}, "benchmarks": [{"name": "a"}]})", R"(}}, "benchmarks": [{)",
                                 R"(, "machine": {"name)", ""}) {
    const auto run = told(beginning + rest);
    EXPECT_EQ(
        run.fleet,
        nlohmann::json({{"sweep", "monday"}, {"rank", 3}, {"node", "n1"}, {"rack", nullptr}}));
    EXPECT_EQ(run.started, common::parse_timestamp("2026-11-22T10:00:00Z"));
    EXPECT_TRUE(run.is_complete);
  }
}

TEST_F(told_run_of_a_file, is_cut_off_within_what_would_tell) {
  const std::size_t in_fleet = beginning.find(R"("node")");
  for (const std::size_t length : {std::size_t{0}, std::size_t{1}, in_fleet}) {
    const auto run = told(beginning.substr(0, length));
    EXPECT_TRUE(run.is_cut_off) << length;
    EXPECT_TRUE(run.fleet.is_null()) << length;
  }
  EXPECT_TRUE(told(" \n").is_cut_off);
}

TEST_F(told_run_of_a_file, is_not_told_by_other_files) {
  for (const auto* const text : {"{}", "[1, 2]", "nonsense", R"({"kind": "fleet_sweep"})"}) {
    const auto run = told(text);
    EXPECT_TRUE(run.fleet.is_null()) << text;
    EXPECT_FALSE(run.is_cut_off) << text;
  }
  EXPECT_FALSE(told_by(folder.path() / "not there").is_cut_off);
}

}  // namespace
}  // namespace bench_transfers::bench::told_run_test
