#include "bench/harness/plan.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench/harness/requests.hpp"
#include "bench/harness/sets.hpp"
#include "bench/strategy/cache.hpp"
#include "src/common/program.hpp"
#include "tests/basics.hpp"
#include "tests/unit/bench/made_up_plans.hpp"
#include "tests/unit/common/complaint.hpp"

namespace bench_transfers::bench::plan_test {
namespace {

using namespace made_up_plans;

std::vector<std::string> planned_with(const settings& chosen) {
  return names_of(make_plan(some, limited_device(), chosen).cases);
}

std::string complaint(const settings& chosen) {
  return common::complaint_of<common::usage_error>(
      [&] { return make_plan(some, limited_device(), chosen); });
}

class planning : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_flush_cache()) GTEST_SKIP() << "no cold benchmarks on this processor";
  }
};

TEST_F(planning, strategies_times_variants_times_sizes_times_cache_states) {
  auto chosen = sizes({4, mib}, {mib});
  chosen.strategies = {"copy/pinned", "null"};
  EXPECT_THAT(planned_with(chosen),
              ElementsAre("copy/pinned/h2d/4B", "copy/pinned/h2d/1MiB", "copy/pinned/h2d/1MiB/cold",
                          "copy/pinned/d2h/4B", "copy/pinned/d2h/1MiB", "copy/pinned/d2h/1MiB/cold",
                          "null/single"));
  EXPECT_THAT(planned_with(sizes({4, mib}, {mib})), SizeIs(3 * 2 * 3 + 1));
}

TEST_F(planning, copies_that_nothing_measures_are_not_forgotten) {
  auto chosen = sizes({mib});
  chosen.concurrent = {"cuda:0:both"};
  EXPECT_THAT(complaint(chosen), HasSubstr("add concurrent to --strategies"));
  chosen.concurrent.clear();
  EXPECT_EQ(complaint(chosen), "");
}

TEST_F(planning, cases_say_what_their_names_say) {
  const auto all = make_plan(some, limited_device(), sizes({4}, {mib}));
  const auto find = [&](const std::string& name) {
    return *std::ranges::find(all.cases, name, &benchmark_case::name);
  };
  const auto warm = find("copy_async/pinned/d2h/4B");
  EXPECT_EQ(warm.measured, &some[2]);
  EXPECT_EQ(warm.variant, "d2h");
  EXPECT_EQ(warm.bytes(), 4U);
  EXPECT_EQ(warm.cache, cache_state::warm);
  const auto cold = find("copy/pageable/h2d/1MiB/cold");
  EXPECT_EQ(cold.measured, &some[0]);
  EXPECT_EQ(cold.bytes(), mib);
  EXPECT_EQ(cold.cache, cache_state::cold);
  EXPECT_EQ(find("null/single").bytes(), 0U);
}

TEST(plan_strategies, exact_names_and_families) {
  const auto with = [](std::vector<std::string> requests) {
    auto chosen = sizes({4});
    chosen.strategies = std::move(requests);
    return planned_with(chosen);
  };
  EXPECT_THAT(with({"copy"}), ElementsAre("copy/pageable/h2d/4B", "copy/pageable/d2h/4B",
                                          "copy/pinned/h2d/4B", "copy/pinned/d2h/4B"));
  EXPECT_THAT(with({"copy_async", "copy_async/pinned"}),
              ElementsAre("copy_async/pinned/h2d/4B", "copy_async/pinned/d2h/4B"));
  EXPECT_THAT(with({"null"}), ElementsAre("null/single"));
}

TEST(plan_strategies, with_a_variant_are_that_variant_alone) {
  const registry deep{
      make_strategy("a/b", std::nullopt, {"up/int8", "up/int64", "upper/int8", "down/int8"}),
      make_strategy("a/b2", std::nullopt, {"up"}), make_strategy("a/none", std::nullopt, {})};
  const auto with = [&](std::vector<std::string> requests) {
    auto chosen = sizes({4});
    chosen.strategies = std::move(requests);
    return names_of(make_plan(deep, limited_device(), chosen).cases);
  };
  EXPECT_THAT(with({"a/b/up"}), ElementsAre("a/b/up/int8/4B", "a/b/up/int64/4B"));
  EXPECT_THAT(with({"a/b/up/int64", "a/b/down"}),
              ElementsAre("a/b/up/int64/4B", "a/b/down/int8/4B"));
  EXPECT_THAT(with({"a/b/down/int8", "a/b"}), SizeIs(4));
  EXPECT_THAT(with({"a/none"}), ElementsAre("a/none/4B"));
  EXPECT_THAT(with({"a"}), SizeIs(6));
}

TEST(plan_strategies, are_listed_as_requested) {
  const auto listed = [](const std::vector<std::string>& requests) {
    std::vector<std::string> all;
    for (const auto* const strategy : chosen_strategies(some, requests))
      all.push_back(strategy->name());
    return all;
  };
  EXPECT_THAT(listed({}), SizeIs(some.size()));
  EXPECT_THAT(listed({"null", "copy"}), ElementsAre("copy/pageable", "copy/pinned", "null"));
  EXPECT_THAT(listed({"copy_async/pinned/d2h"}), ElementsAre("copy_async/pinned"));
  EXPECT_THROW(static_cast<void>(listed({"copy", "nul"})), common::usage_error);
}

TEST(plan_strategies, are_chosen_by_patterns) {
  EXPECT_THAT(known_requests(some, {"*/pinned"}), ElementsAre("copy/pinned", "copy_async/pinned"));
  EXPECT_THAT(known_requests(some, {"nul?"}), ElementsAre("null"));
  EXPECT_THAT(known_requests(some, {"copy/p[ai]*/d2h"}),
              ElementsAre("copy/pageable/d2h", "copy/pinned/d2h"));
  EXPECT_THROW(static_cast<void>(known_requests(some, {"null", "nothing*"})), common::usage_error);
  auto chosen = sizes({4});
  chosen.strategies = {"copy/*d2h"};
  EXPECT_THAT(names_of(make_plan(some, limited_device(), chosen).cases),
              UnorderedElementsAre("copy/pageable/d2h/4B", "copy/pinned/d2h/4B"));
}

TEST(plan_strategies, that_need_places_which_nothing_shows_are_answered_with_the_reason) {
  auto together = make_strategy("together/pinned", transfers::pinned());
  together.concurrent = true;
  const std::vector<std::string> ids{"cuda:0", "cuda:1", "cuda:2"};
  const auto complaint = [&](const host_layout& layout) {
    return common::complaint_of<common::usage_error>([&] {
      const auto known = with_sets({together}, layout);
      static_cast<void>(chosen_strategies(known, {"together/pinned/h2d/node1"}));
    });
  };
  EXPECT_THAT(complaint({ids, {}, {}}),
              AllOf(HasSubstr("unknown strategy 'together/pinned/h2d/node1'"),
                    HasSubstr("sysfs shows no node or port"), Not(HasSubstr("\n"))));
  const neighbours near{{result_file::set_kind::node, "1"}, {0, 2}};
  EXPECT_EQ(complaint({ids, {near}, {}}), "");
  const neighbours others{{result_file::set_kind::node, "0"}, {0, 2}};
  EXPECT_THAT(complaint({ids, {others}, {}}), Not(HasSubstr("sysfs")));
}

TEST(plan_skipped, says_what_copies_at_once_need_only_to_those_who_ask) {
  auto together = make_strategy("together/pinned", transfers::pinned());
  auto listed = test_strategy("together/listed");
  together.concurrent = listed.concurrent = listed.memory_by_copy = true;
  const registry strategies{listed, together};
  const auto skipped = [&](settings chosen) {
    std::map<std::string, std::string> codes;
    for (const auto& skip : make_plan(strategies, limited_device(), chosen).skipped)
      codes[skip.name] = skip.reason.code;
    return codes;
  };
  using codes = std::map<std::string, std::string>;
  auto chosen = sizes({mib});
  EXPECT_EQ(skipped(chosen), codes());
  chosen.strategies = {"together"};
  EXPECT_EQ(skipped(chosen), (codes{{"together/pinned", "needs_several_devices"}}));
  chosen.strategies = {"together/listed"};
  EXPECT_EQ(skipped(chosen), (codes{{"together/listed", "needs_listed_copies"}}));
  chosen.concurrent = {"cuda:0:both"};
  EXPECT_EQ(skipped(chosen), codes()) << "it is the memory that is not listed";
}

TEST(plan_sizes, of_a_sparse_strategy_are_the_profiles_largest_and_every_nth_below) {
  const auto every_third = test_strategy("a/sparse", {.size_stride = 3});
  const registry registry{every_third};
  const auto with = [&](settings chosen, bool own_sizes = false) {
    chosen.own_sizes = own_sizes;
    return names_of(make_plan(registry, limited_device(), chosen).cases);
  };
  const auto seven = sizes({4, 16, 64, 256, kib, 4 * kib, 16 * kib});
  EXPECT_THAT(with(seven), ElementsAre("a/sparse/4B", "a/sparse/256B", "a/sparse/16KiB"));
  EXPECT_THAT(with(sizes({4, 16})), ElementsAre("a/sparse/16B"));
  EXPECT_THAT(with(sizes({4})), ElementsAre("a/sparse/4B"));
  EXPECT_THAT(with(sizes({})), IsEmpty());
  // Sizes of the command line are all used.
  EXPECT_THAT(with(seven, true), SizeIs(7));
}

TEST(plan_sizes, that_are_left_out_are_the_profiles_largest) {
  const registry registry{test_strategy("a/all"), test_strategy("b/less", {.skip_largest = 1}),
                          test_strategy("c/sparse", {.size_stride = 2, .skip_largest = 2}),
                          test_strategy("d/none", {.skip_largest = 9})};
  auto chosen = sizes({4, 16, 64, 256, kib});
  const auto planned = [&] {
    return names_of(make_plan(registry, limited_device(), chosen).cases);
  };
  EXPECT_THAT(planned(), ElementsAre("a/all/4B", "a/all/16B", "a/all/64B", "a/all/256B",
                                     "a/all/1KiB", "b/less/4B", "b/less/16B", "b/less/64B",
                                     "b/less/256B", "c/sparse/4B", "c/sparse/64B"));
  chosen.own_sizes = true;
  EXPECT_THAT(planned(), SizeIs(4 * 5));
}

TEST(plan_sizes, of_sparse_strategies_are_the_same_ones_whatever_their_limits) {
  const registry registry{test_strategy("a/any", {.size_stride = 3}),
                          test_strategy("b/small", {.largest = 20 * kib, .size_stride = 3}),
                          test_strategy("c/large", {.smallest = 100, .size_stride = 3})};
  std::vector<std::size_t> all;
  for (std::size_t size = 4; size <= 64 * mib; size *= 4) all.push_back(size);
  std::map<char, std::set<std::string>> sizes_of;
  for (const auto& name : names_of(make_plan(registry, limited_device(), sizes(all)).cases))
    sizes_of[name.front()].insert(name.substr(name.rfind('/')));
  EXPECT_TRUE(std::ranges::includes(sizes_of['a'], sizes_of['b']));
  EXPECT_TRUE(std::ranges::includes(sizes_of['a'], sizes_of['c']));
  EXPECT_THAT(sizes_of['b'], Not(IsEmpty()));
  EXPECT_THAT(sizes_of['b'], Not(Contains("/64MiB")));
  EXPECT_THAT(sizes_of['c'], Contains("/64MiB"));
}

TEST(plan_sizes, of_ones_own_that_a_strategy_does_not_take_are_skipped_with_the_reason) {
  const auto with_prepare = [](strategy added) {
    added.prepare = [](const job&) { return transfer{}; };
    return added;
  };
  const registry three{with_prepare(test_strategy("a/small", {.largest = 20 * kib})),
                       with_prepare(test_strategy("b/large", {.smallest = mib})),
                       with_prepare(test_strategy("c/any"))};
  auto chosen = sizes({64 * kib}, {});
  chosen.own_sizes = true;
  const auto planned = make_plan(three, limited_device(), chosen);
  EXPECT_THAT(names_of(planned.cases), ElementsAre("c/any/64KiB"));
  EXPECT_THAT(names_of(planned.skipped), ElementsAre("a/small", "b/large"));
  EXPECT_THAT(reasons(planned),
              ElementsAre("it takes sizes from 1B to 20KiB", "it takes sizes from 1MiB"));
  chosen.own_sizes = false;  // a profile has enough other sizes
  EXPECT_THAT(make_plan(three, limited_device(), chosen).skipped, IsEmpty());
}

TEST_F(planning, cold_sizes_are_sparse_too) {
  const registry registry{test_strategy("a/sparse", {.size_stride = 2})};
  EXPECT_THAT(names_of(make_plan(registry, limited_device(), sizes({4}, {4, 16, 64})).cases),
              ElementsAre("a/sparse/4B", "a/sparse/4B/cold", "a/sparse/64B/cold"));
}

TEST(plan_variants, none_give_the_strategys_name_alone) {
  const registry registry{test_strategy("a/sized"), test_strategy("b/unsized", {.sized = false})};
  const auto all = make_plan(registry, limited_device(), sizes({4, mib}));
  EXPECT_THAT(names_of(all.cases), ElementsAre("a/sized/4B", "a/sized/1MiB", "b/unsized"));
  for (const auto& benchmark : all.cases) EXPECT_EQ(benchmark.variant, std::nullopt);
}

TEST(plan_skipped, lists_unsupported_benchmarks_with_the_reason) {
  limited_device device;
  device.refused_kinds = {{transfers::pinned(), "no pins here"}};
  auto chosen = sizes({4, kib});
  chosen.filter = "-d2h";
  const auto all = make_plan(some, device, chosen);
  EXPECT_THAT(names_of(all.cases),
              ElementsAre("copy/pageable/h2d/4B", "copy/pageable/h2d/1KiB", "null/single"));
  EXPECT_THAT(names_of(all.skipped),
              ElementsAre("copy/pinned/h2d/4B", "copy/pinned/h2d/1KiB", "copy_async/pinned/h2d/4B",
                          "copy_async/pinned/h2d/1KiB"));
  EXPECT_THAT(reasons(all), Each("no pins here"));
}

TEST(plan_of_all_strategies, is_limited_to_essential_strategies_unless_others_are_requested) {
  const auto strategies = registered_strategies();
  const auto device = transfers::open_host_device();
  auto chosen = sizes({kib});
  chosen.essential_only = true;
  for (const auto& planned : make_plan(strategies, *device, chosen).cases)
    EXPECT_TRUE(planned.measured->sampling.essential) << planned.name;
  chosen.strategies = {"gpu_array"};
  const auto asked_for = make_plan(strategies, *device, chosen);
  ASSERT_FALSE(asked_for.cases.empty());
  for (const auto& planned : asked_for.cases) EXPECT_THAT(planned.name, StartsWith("gpu_array/"));
}

TEST(plan_of_all_strategies, of_a_sweep_has_all_classes_and_only_chosen_variants) {
  const auto strategies = registered_strategies();
  const auto device = transfers::open_host_device();
  auto chosen = sizes({4, 64 << 20});
  chosen.chosen_for = "sweep";
  const auto planned = names_of(make_plan(strategies, *device, chosen).cases);
  for (const auto* const name :
       {"copy/pinned/h2d/64MiB", "copy/pageable/d2h/64MiB", "copy/pinned/h2d/4B",
        "duplex/engines/pinned/64MiB", "cpu/pageable/write_fill_all_cores/64MiB", "message/memcpy"})
    EXPECT_EQ(std::ranges::count(planned, name), 1) << name;
  EXPECT_THAT(planned,
              Each(AllOf(Not(HasSubstr("read_random")), Not(StartsWith("copy/pinned_wc")))));
  chosen.strategies = {"cpu/pageable/read_random"};
  EXPECT_FALSE(make_plan(strategies, *device, chosen).cases.empty()) << "asked for";
}

TEST(plan_of_all_strategies, leaves_out_memory_that_needs_a_driver) {
  const auto strategies = registered_strategies();
  const auto device = transfers::open_host_device();
  const auto all = make_plan(strategies, *device, sizes({4}));
  for (const auto& planned : all.cases)
    EXPECT_EQ(why_unsupported(*planned.measured, *device), std::nullopt) << planned.name;
  EXPECT_THAT(names_of(all.skipped), Contains("copy/pinned_wc/h2d/4B"));
  EXPECT_THAT(names_of(all.skipped), Contains("zero_copy/pinned_mapped_wc/write/4B"));
  EXPECT_THAT(reasons(all), Each(AllOf(Not(IsEmpty()), Not(HasSubstr("\n")))));
}

}  // namespace
}  // namespace bench_transfers::bench::plan_test
