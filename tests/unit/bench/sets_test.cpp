#include "bench/harness/sets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "src/common/command_line.hpp"
#include "tests/unit/bench/test_strategy.hpp"

namespace bench_transfers::bench::sets_test {
namespace {

using result_file::direction;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

const std::vector<std::string> two{"cuda:0", "cuda:1"};
const std::vector<std::string> three{"cuda:0", "cuda:1", "cuda:3"};

std::vector<variant> sets(const std::vector<std::string>& ids,
                          const std::vector<std::string>& requests = {}) {
  auto together = test_strategy("together", {}, {}, named({"h2d"}));
  together.concurrent = true;
  return with_sets({together}, ids, requests)[0].variants;
}

std::vector<std::string> names(const std::vector<variant>& variants) {
  std::vector<std::string> names;
  for (const auto& variant : variants) names.push_back(variant.name);
  return names;
}

std::vector<std::string> names(const std::vector<named_flow>& flows) {
  std::vector<std::string> names;
  for (const auto& flow : flows) names.push_back(flow.name);
  return names;
}

TEST(with_sets, makes_all_and_the_pairs_in_three_directions) {
  EXPECT_THAT(
      names(sets(three)),
      ElementsAre("h2d/all", "h2d/cuda:0+cuda:1", "h2d/cuda:0+cuda:3", "h2d/cuda:1+cuda:3",
                  "d2h/all", "d2h/cuda:0+cuda:1", "d2h/cuda:0+cuda:3", "d2h/cuda:1+cuda:3",
                  "both/all", "both/cuda:0+cuda:1", "both/cuda:0+cuda:3", "both/cuda:1+cuda:3"));
}

TEST(with_sets, does_not_measure_the_only_pair_twice) {
  EXPECT_THAT(names(sets(two)), ElementsAre("h2d/all", "d2h/all", "both/all"));
}

TEST(with_sets, makes_no_pairs_of_many_devices) {
  std::vector<std::string> ids;
  for (int i = 0; i < 9; ++i) ids.push_back("cuda:" + std::to_string(i));
  EXPECT_THAT(sets(ids), SizeIs(3));
  ids.pop_back();
  EXPECT_THAT(sets(ids), SizeIs(3 * (1 + 28)));
}

TEST(with_sets, says_in_fields_what_takes_part) {
  const auto variants = sets(three);
  const auto& both = variants.at(10);
  EXPECT_EQ(both.name, "both/cuda:0+cuda:3");
  EXPECT_EQ(both.direction, direction::both);
  EXPECT_EQ(both.setting, "cuda:0+cuda:3");
  EXPECT_THAT(names(both.flows),
              ElementsAre("cuda:0:h2d", "cuda:0:d2h", "cuda:3:h2d", "cuda:3:d2h"));
  EXPECT_EQ(both.flows[3].device, 2U);
  EXPECT_EQ(both.flows[3].direction, direction::d2h);
}

TEST(with_sets, leaves_other_strategies_and_single_devices_alone) {
  EXPECT_THAT(names(sets({"cuda:0"})), ElementsAre("h2d"));
  const auto others = with_sets({test_strategy("copy", {}, {}, named({"h2d"}))}, two);
  EXPECT_THAT(names(others[0].variants), ElementsAre("h2d"));
}

TEST(with_sets, takes_requests_instead_of_the_usual_sets) {
  const auto requested = sets(three, {"cuda:1:d2h+cuda:0:h2d"});
  ASSERT_THAT(names(requested), ElementsAre("mixed/cuda:0:h2d+cuda:1:d2h"));
  EXPECT_EQ(requested[0].direction, direction::both);
  EXPECT_THAT(names(requested[0].flows), ElementsAre("cuda:0:h2d", "cuda:1:d2h"));
}

TEST(with_sets, gives_requests_the_names_of_the_usual_sets) {
  EXPECT_THAT(names(sets(three, {"cuda:0:h2d+cuda:3:h2d", "cuda:1:both+cuda:0:both",
                                 "cuda:3:d2h+cuda:1:d2h+cuda:0:d2h"})),
              ElementsAre("h2d/cuda:0+cuda:3", "both/cuda:0+cuda:1", "d2h/all"));
  EXPECT_THAT(names(sets(three, {"cuda:0:h2d+cuda:3:h2d", "cuda:3:h2d+cuda:0:h2d"})), SizeIs(1));
  // Both ways of a single device, if someone asks for it.
  EXPECT_THAT(names(sets({"cuda:0"}, {"cuda:0:both"})), ElementsAre("both/cuda:0"));
}

/// A request and what is said of it.
using refused_request = std::pair<std::string, std::string>;
class bad_request : public testing::TestWithParam<refused_request> {};

TEST_P(bad_request, is_wrong_usage) {
  const auto& [request, why] = GetParam();
  try {
    static_cast<void>(sets(two, {request}));
    FAIL() << "it was accepted";
  } catch (const common::usage_error& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("--concurrent '" + request + "'"), HasSubstr(why),
                                    Not(HasSubstr("\n"))));
  }
}

INSTANTIATE_TEST_SUITE_P(
    all, bad_request,
    testing::Values(refused_request{"", "does not end in"}, refused_request{"+", "does not end in"},
                    refused_request{"cuda:0:h2d+", "does not end in"},
                    refused_request{"cuda:0", "'cuda:0' does not end in :h2d"},
                    refused_request{"cuda:0:up+cuda:1:h2d", "'cuda:0:up'"},
                    refused_request{"cuda:0:none+cuda:1:h2d", "'cuda:0:none'"},
                    refused_request{"h2d+cuda:1:h2d", "'h2d'"},
                    refused_request{"cuda:0:h2d", "at least two"},
                    refused_request{"cuda:0:h2d+cuda:0:h2d", "cuda:0:h2d is named twice"},
                    refused_request{"cuda:0:both+cuda:0:d2h", "cuda:0:d2h is named twice"},
                    refused_request{"cuda:0:h2d+cuda:7:h2d",
                                    "no device 'cuda:7', but cuda:0, cuda:1"}));

}  // namespace
}  // namespace bench_transfers::bench::sets_test
