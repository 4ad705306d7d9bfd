#include "src/fleet/report/reports.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <string>

#include "tests/simulation/made_up_fleet.hpp"

namespace bench_transfers::fleet::reports_test {
namespace {

// What the reports say is approved as a whole: tests/approval/printed/fleet.cpp.

TEST(reported, markdown_stays_short) {
  std::mt19937_64 random(1);
  auto measured = simulation::make_up({.nodes = 100, .gpus_in_node = 5}, {}, random);
  for (auto& gpu : measured.gpus) gpu.wrong_data = {"copy/pinned/h2d/1MiB"};
  const auto text = markdown_of(measured, judge(measured, settings::usual()));
  EXPECT_LT(text.size(), 65'536U);
  EXPECT_THAT(text, testing::HasSubstr("more, for which there is no room here"));
}

TEST(reported, tables_fit_a_terminal) {
  std::mt19937_64 random(3);
  auto measured = simulation::make_up({.nodes = 2, .gpus_in_node = 4}, {}, random);
  for (auto& gpu : measured.gpus) gpu.node = "a-node-with-a-name-that-is-far-too-long-" + gpu.node;
  std::istringstream lines(table_of(measured, judge(measured, settings::usual())));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100U) << line;
}

}  // namespace
}  // namespace bench_transfers::fleet::reports_test
