#include "bench/harness/sets.hpp"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "src/common/program.hpp"
#include "tests/basics.hpp"
#include "tests/unit/bench/test_strategy.hpp"
#include "tests/unit/common/complaint.hpp"

namespace bench_transfers::bench::sets_test {
namespace {

using result_file::direction;
using result_file::set_kind;

const std::vector<std::string> two{"cuda:0", "cuda:1"};
const std::vector<std::string> three{"cuda:0", "cuda:1", "cuda:3"};

std::vector<variant> sets(const std::vector<std::string>& ids,
                          const std::vector<std::string>& requests = {}) {
  auto together = test_strategy("together", {}, {}, named({"h2d"}));
  together.concurrent = true;
  return with_sets({together}, {ids}, requests)[0].variants;
}

TEST(with_sets, makes_all_and_the_pairs_in_three_directions) {
  EXPECT_THAT(
      names_of(sets(three)),
      ElementsAre("h2d/all", "h2d/cuda:0+cuda:1", "h2d/cuda:0+cuda:3", "h2d/cuda:1+cuda:3",
                  "d2h/all", "d2h/cuda:0+cuda:1", "d2h/cuda:0+cuda:3", "d2h/cuda:1+cuda:3",
                  "both/all", "both/cuda:0+cuda:1", "both/cuda:0+cuda:3", "both/cuda:1+cuda:3"));
}

TEST(with_sets, does_not_measure_the_only_pair_twice) {
  EXPECT_THAT(names_of(sets(two)), ElementsAre("h2d/all", "d2h/all", "both/all"));
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
  EXPECT_THAT(names_of(both.flows),
              ElementsAre("cuda:0:h2d", "cuda:0:d2h", "cuda:3:h2d", "cuda:3:d2h"));
  EXPECT_EQ(both.flows[3].device, 2U);
  EXPECT_EQ(both.flows[3].direction, direction::d2h);
}

TEST(with_sets, leaves_other_strategies_and_single_devices_alone) {
  EXPECT_THAT(names_of(sets({"cuda:0"})), ElementsAre("h2d"));
  const auto others = with_sets({test_strategy("copy", {}, {}, named({"h2d"}))}, {two});
  EXPECT_THAT(names_of(others[0].variants), ElementsAre("h2d"));
}

TEST(with_sets, takes_requests_instead_of_the_usual_sets) {
  const auto requested = sets(three, {"cuda:1:d2h+cuda:0:h2d"});
  ASSERT_THAT(names_of(requested), ElementsAre("mixed/cuda:0:h2d+cuda:1:d2h"));
  EXPECT_EQ(requested[0].direction, direction::both);
  EXPECT_THAT(names_of(requested[0].flows), ElementsAre("cuda:0:h2d", "cuda:1:d2h"));
}

TEST(with_sets, gives_requests_the_names_of_the_usual_sets) {
  EXPECT_THAT(names_of(sets(three, {"cuda:0:h2d+cuda:3:h2d", "cuda:1:both+cuda:0:both",
                                    "cuda:3:d2h+cuda:1:d2h+cuda:0:d2h"})),
              ElementsAre("h2d/cuda:0+cuda:3", "both/cuda:0+cuda:1", "d2h/all"));
  EXPECT_THAT(names_of(sets(three, {"cuda:0:h2d+cuda:3:h2d", "cuda:3:h2d+cuda:0:h2d"})), SizeIs(1));
  // Both ways of a single device, if someone asks for it.
  EXPECT_THAT(names_of(sets({"cuda:0"}, {"cuda:0:both"})), ElementsAre("both/cuda:0"));
}

/// Four devices: two below a port, which are next to node 0, and two next to node 1.
host_layout four_devices() {
  return {.ids = {"cuda:0", "cuda:1", "cuda:2", "cuda:3"},
          .neighbours = {{{set_kind::port, "0000:c0:01.1"}, {0, 1}},
                         {{set_kind::node, "0"}, {0, 1}},
                         {{set_kind::port, "0000:40:01.1"}, {1, 2, 3}},
                         {{set_kind::node, "1"}, {2, 3}}},
          .nodes = {}};
}

TEST(with_sets, names_neighbours_and_measures_the_same_devices_once) {
  auto together = test_strategy("together", {}, {}, named({"h2d"}));
  together.concurrent = true;
  const auto variants = with_sets({together}, four_devices())[0].variants;
  ASSERT_THAT(variants, SizeIs(3 * 8));
  EXPECT_THAT(names_of(std::vector(variants.begin(), variants.begin() + 8)),
              ElementsAre("h2d/all", "h2d/node0", "h2d/node1", "h2d/below_0000:40:01.1",
                          "h2d/cuda:0+cuda:2", "h2d/cuda:0+cuda:3", "h2d/cuda:1+cuda:2",
                          "h2d/cuda:1+cuda:3"));
  using description = result_file::set_description;
  EXPECT_EQ(variants[0].set, (description{set_kind::all, std::nullopt}));
  EXPECT_EQ(variants[2].set, (description{set_kind::node, "1"}));
  EXPECT_EQ(variants[3].set, (description{set_kind::port, "0000:40:01.1"}));
  EXPECT_EQ(variants[4].set, (description{set_kind::pair, std::nullopt}));
  EXPECT_THAT(names_of(variants[2].flows), ElementsAre("cuda:2:h2d", "cuda:3:h2d"));
  EXPECT_EQ(variants[2].setting, "node1");
}

TEST(with_sets, gives_requests_of_neighbours_their_name) {
  auto together = test_strategy("together", {}, {}, named({"h2d"}));
  together.concurrent = true;
  const auto variants =
      with_sets({together}, four_devices(), {"cuda:3:d2h+cuda:2:d2h", "cuda:0:h2d+cuda:2:d2h"})[0]
          .variants;
  EXPECT_THAT(names_of(variants), ElementsAre("d2h/node1", "mixed/cuda:0:h2d+cuda:2:d2h"));
  EXPECT_EQ(variants[1].set, (result_file::set_description{set_kind::listed, std::nullopt}));
}

/// The strategies of copies at once, on a machine with these nodes.
registry copies_at_once(const std::vector<machine::numa_node>& nodes,
                        const std::vector<std::string>& requests) {
  auto strategies = registered_strategies(nodes);
  std::erase_if(strategies, [](const strategy& candidate) { return !candidate.concurrent; });
  return with_sets(strategies, {.ids = two, .neighbours = {}, .nodes = nodes}, requests);
}

std::vector<machine::numa_node> two_nodes() {
  machine::numa_node first, second;
  second.number = 1;
  return {first, second};
}

const strategy& named(const registry& strategies, const std::string& name) {
  return *std::ranges::find(strategies, name, &strategy::name);
}

TEST(with_sets, takes_copies_that_name_their_memory) {
  const auto strategies =
      copies_at_once(two_nodes(), {"cuda:0:h2d:pinned@node1+cuda:1:d2h:pageable"});
  const auto& listed = named(strategies, "concurrent/listed").variants;
  ASSERT_THAT(names_of(listed), ElementsAre("mixed/cuda:0:h2d:pinned@node1+cuda:1:d2h:pageable"));
  const auto& [first, second] = std::tie(listed[0].flows[0], listed[0].flows[1]);
  EXPECT_EQ(first.name, "cuda:0:h2d");
  EXPECT_EQ(first.host, on_node(transfers::pinned(), 1));
  EXPECT_EQ(first.memory, "pinned@node1");
  EXPECT_EQ(first.node, 1U);
  ASSERT_TRUE(first.host_node);
  EXPECT_EQ(first.host_node->number, 1);
  EXPECT_EQ(second.host, transfers::pageable);
  EXPECT_EQ(second.node, std::nullopt);
  EXPECT_EQ(second.host_node, std::nullopt);
  EXPECT_THAT(named(strategies, "concurrent/pinned").variants, IsEmpty());
}

TEST(with_sets, tells_lists_with_and_without_memory_apart) {
  const auto strategies = copies_at_once(
      two_nodes(), {"cuda:0:both:pinned", "cuda:0:h2d+cuda:1:h2d", "cuda:0:both:pageable"});
  EXPECT_THAT(names_of(named(strategies, "concurrent/listed").variants),
              ElementsAre("mixed/cuda:0:h2d:pinned+cuda:0:d2h:pinned",
                          "mixed/cuda:0:h2d:pageable+cuda:0:d2h:pageable"));
  for (const auto* const name : {"concurrent/pinned", "concurrent/pageable@node1"})
    EXPECT_THAT(names_of(named(strategies, name).variants), ElementsAre("h2d/all")) << name;
}

TEST(with_sets, has_no_listed_copies_unless_they_are_requested) {
  const auto strategies = copies_at_once(two_nodes(), {});
  EXPECT_THAT(named(strategies, "concurrent/listed").variants, IsEmpty());
  EXPECT_THAT(names_of(named(strategies, "concurrent/pinned@node1").variants),
              ElementsAre("h2d/all", "d2h/all", "both/all"));
}

TEST(with_sets, refuses_memory_that_there_is_not) {
  const auto complaint = [](const std::string& request) {
    return common::complaint_of<common::usage_error>(
        [&] { return copies_at_once(two_nodes(), {request}); });
  };
  EXPECT_THAT(complaint("cuda:0:h2d:pinned@node2+cuda:1:h2d:pinned"),
              AllOf(HasSubstr("no memory 'pinned@node2' here, but pageable, pageable@node0"),
                    HasSubstr("pinned@node1")));
  EXPECT_THAT(complaint("cuda:0:h2d:pinned+cuda:1:h2d"), HasSubstr("either all of its copies"));
  EXPECT_THAT(complaint("cuda:0:h2d:pinned+cuda:0:h2d:pageable"),
              HasSubstr("cuda:0:h2d is named twice"));
  EXPECT_THAT(complaint("cuda:0:h2d:"), HasSubstr("no memory ''"));
}

/// A request and what is said of it.
using refused_request = std::pair<std::string, std::string>;
class bad_request : public testing::TestWithParam<refused_request> {};

TEST_P(bad_request, is_wrong_usage) {
  const auto& [request, why] = GetParam();
  EXPECT_THAT(
      common::complaint_of<common::usage_error>([&] { return sets(two, {request}); }),
      AllOf(HasSubstr("--concurrent '" + request + "'"), HasSubstr(why), Not(HasSubstr("\n"))));
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

TEST(with_ranks, has_the_copies_of_all_processes_at_once) {
  auto together = test_strategy("together", {}, {}, bench::named({"h2d"}));
  together.concurrent = true;
  auto listed = test_strategy("listed", {}, {}, bench::named({"h2d"}));
  listed.concurrent = listed.memory_by_copy = true;
  const auto strategies = with_ranks({together, listed, test_strategy("copy")}, "cuda:5");
  const auto& variants = strategies[0].variants;
  EXPECT_THAT(names_of(variants), ElementsAre("h2d/ranks", "d2h/ranks", "both/ranks"));
  for (const auto& variant : variants) EXPECT_EQ(variant.set->kind, set_kind::ranks);
  EXPECT_THAT(names_of(variants[1].flows), ElementsAre("cuda:5:d2h"));
  EXPECT_THAT(names_of(variants[2].flows), ElementsAre("cuda:5:h2d", "cuda:5:d2h"));
  EXPECT_THAT(names_of(strategies[1].variants), ElementsAre("h2d"))
      << "its copies name their memory";
  EXPECT_THAT(strategies[2].variants, IsEmpty());
}

}  // namespace
}  // namespace bench_transfers::bench::sets_test
