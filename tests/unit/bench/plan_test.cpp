#include "bench/harness/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "bench/harness/requests.hpp"
#include "bench/harness/sets.hpp"
#include "bench/strategy/cache.hpp"
#include "src/common/program.hpp"
#include "src/common/quantities.hpp"
#include "src/machine/machine.hpp"
#include "tests/unit/bench/fake_clock.hpp"
#include "tests/unit/bench/test_strategy.hpp"
#include "tests/unit/common/complaint.hpp"
#include "tests/unit/transfers/forwarding_device.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::plan_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

/// A host device that refuses memory above a limit, and some kinds of memory.
class limited_device final : public transfers::forwarding_device {
 public:
  limited_device() : forwarding_device(transfers::open_host_device()) {}

  std::size_t host_limit = SIZE_MAX;
  std::size_t device_limit = SIZE_MAX;
  std::map<transfers::host_memory_kind, std::string> refused_kinds;
  std::vector<std::size_t> asked_for;
  std::function<void(transfers::host_memory_kind)> on_host_allocation;
  std::chrono::nanoseconds time_of_mib{};  ///< of the fake clock

  [[nodiscard]] std::optional<std::string> why_unsupported(
      transfers::host_memory_kind kind) const override {
    const auto refusal = refused_kinds.find(kind);
    return refusal == refused_kinds.end() ? std::nullopt : std::optional(refusal->second);
  }
  [[nodiscard]] transfers::host_memory allocate_host(std::size_t bytes,
                                                     transfers::host_memory_kind kind) override {
    ask_for(bytes);
    if (on_host_allocation) on_host_allocation(kind);
    if (bytes > host_limit) throw transfers::out_of_memory("host is full");
    return forwarding_device::allocate_host(bytes, kind);
  }
  [[nodiscard]] transfers::device_memory allocate(std::size_t bytes) override {
    ask_for(bytes);
    if (bytes > device_limit) throw transfers::out_of_memory("device is full");
    return forwarding_device::allocate(bytes);
  }

 private:
  void ask_for(std::size_t bytes) {
    asked_for.push_back(bytes);
    if (time_of_mib.count() > 0)
      fake_clock::advance(time_of_mib * static_cast<std::int64_t>(bytes) / mib);
  }
};

strategy make_strategy(const std::string& name, std::optional<transfers::host_memory_kind> host,
                       const std::vector<std::string>& variants = {"h2d", "d2h"},
                       bool sized = true) {
  return test_strategy(name, {.sized = sized}, {.host = host}, named(variants));
}

const registry some{make_strategy("copy/pageable", transfers::pageable),
                    make_strategy("copy/pinned", transfers::pinned()),
                    make_strategy("copy_async/pinned", transfers::pinned()),
                    make_strategy("null", std::nullopt, {"single"}, false)};

settings sizes(std::vector<std::size_t> warm, std::vector<std::size_t> cold = {}) {
  settings chosen;
  chosen.sizes = std::move(warm);
  chosen.cold_sizes = std::move(cold);
  return chosen;
}

template <class Cases>
std::vector<std::string> names(const Cases& cases) {
  std::vector<std::string> all;
  for (const auto& each : cases) all.push_back(each.name);
  return all;
}

std::vector<std::string> reasons(const plan& planned) {
  std::vector<std::string> all;
  for (const auto& skipped : planned.skipped) all.push_back(skipped.reason.text);
  return all;
}

std::vector<std::string> planned_with(const settings& chosen) {
  return names(make_plan(some, limited_device(), chosen).cases);
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
  EXPECT_THAT(planned_with(sizes({4, mib}, {mib})), testing::SizeIs(3 * 2 * 3 + 1));
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
    return names(make_plan(deep, limited_device(), chosen).cases);
  };
  EXPECT_THAT(with({"a/b/up"}), ElementsAre("a/b/up/int8/4B", "a/b/up/int64/4B"));
  EXPECT_THAT(with({"a/b/up/int64", "a/b/down"}),
              ElementsAre("a/b/up/int64/4B", "a/b/down/int8/4B"));
  EXPECT_THAT(with({"a/b/down/int8", "a/b"}), testing::SizeIs(4));
  EXPECT_THAT(with({"a/none"}), ElementsAre("a/none/4B"));
  EXPECT_THAT(with({"a"}), testing::SizeIs(6));
}

TEST(plan_strategies, are_listed_as_requested) {
  const auto listed = [](const std::vector<std::string>& requests) {
    std::vector<std::string> all;
    for (const auto* const strategy : chosen_strategies(some, requests))
      all.push_back(strategy->name());
    return all;
  };
  EXPECT_THAT(listed({}), testing::SizeIs(some.size()));
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
  EXPECT_THAT(names(make_plan(some, limited_device(), chosen).cases),
              testing::UnorderedElementsAre("copy/pageable/d2h/4B", "copy/pinned/d2h/4B"));
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
    return names(make_plan(registry, limited_device(), chosen).cases);
  };
  const auto seven = sizes({4, 16, 64, 256, kib, 4 * kib, 16 * kib});
  EXPECT_THAT(with(seven), ElementsAre("a/sparse/4B", "a/sparse/256B", "a/sparse/16KiB"));
  EXPECT_THAT(with(sizes({4, 16})), ElementsAre("a/sparse/16B"));
  EXPECT_THAT(with(sizes({4})), ElementsAre("a/sparse/4B"));
  EXPECT_THAT(with(sizes({})), IsEmpty());
  // Sizes of the command line are all used.
  EXPECT_THAT(with(seven, true), testing::SizeIs(7));
}

TEST(plan_sizes, that_are_left_out_are_the_profiles_largest) {
  const registry registry{test_strategy("a/all"), test_strategy("b/less", {.skip_largest = 1}),
                          test_strategy("c/sparse", {.size_stride = 2, .skip_largest = 2}),
                          test_strategy("d/none", {.skip_largest = 9})};
  auto chosen = sizes({4, 16, 64, 256, kib});
  const auto planned = [&] { return names(make_plan(registry, limited_device(), chosen).cases); };
  EXPECT_THAT(planned(), ElementsAre("a/all/4B", "a/all/16B", "a/all/64B", "a/all/256B",
                                     "a/all/1KiB", "b/less/4B", "b/less/16B", "b/less/64B",
                                     "b/less/256B", "c/sparse/4B", "c/sparse/64B"));
  chosen.own_sizes = true;
  EXPECT_THAT(planned(), testing::SizeIs(4 * 5));
}

TEST(plan_sizes, of_sparse_strategies_are_the_same_ones_whatever_their_limits) {
  const registry registry{test_strategy("a/any", {.size_stride = 3}),
                          test_strategy("b/small", {.largest = 20 * kib, .size_stride = 3}),
                          test_strategy("c/large", {.smallest = 100, .size_stride = 3})};
  std::vector<std::size_t> all;
  for (std::size_t size = 4; size <= 64 * mib; size *= 4) all.push_back(size);
  std::map<char, std::set<std::string>> sizes_of;
  for (const auto& name : names(make_plan(registry, limited_device(), sizes(all)).cases))
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
  EXPECT_THAT(names(planned.cases), ElementsAre("c/any/64KiB"));
  EXPECT_THAT(names(planned.skipped), ElementsAre("a/small", "b/large"));
  EXPECT_THAT(reasons(planned),
              ElementsAre("it takes sizes from 1B to 20KiB", "it takes sizes from 1MiB"));
  chosen.own_sizes = false;  // a profile has enough other sizes
  EXPECT_THAT(make_plan(three, limited_device(), chosen).skipped, testing::IsEmpty());
}

TEST_F(planning, cold_sizes_are_sparse_too) {
  const registry registry{test_strategy("a/sparse", {.size_stride = 2})};
  EXPECT_THAT(names(make_plan(registry, limited_device(), sizes({4}, {4, 16, 64})).cases),
              ElementsAre("a/sparse/4B", "a/sparse/4B/cold", "a/sparse/64B/cold"));
}

TEST(plan_variants, none_give_the_strategys_name_alone) {
  const registry registry{test_strategy("a/sized"), test_strategy("b/unsized", {.sized = false})};
  const auto all = make_plan(registry, limited_device(), sizes({4, mib}));
  EXPECT_THAT(names(all.cases), ElementsAre("a/sized/4B", "a/sized/1MiB", "b/unsized"));
  for (const auto& benchmark : all.cases) EXPECT_EQ(benchmark.variant, std::nullopt);
}

TEST(plan_skipped, lists_unsupported_benchmarks_with_the_reason) {
  limited_device device;
  device.refused_kinds = {{transfers::pinned(), "no pins here"}};
  auto chosen = sizes({4, kib});
  chosen.filter = "-d2h";
  const auto all = make_plan(some, device, chosen);
  EXPECT_THAT(names(all.cases),
              ElementsAre("copy/pageable/h2d/4B", "copy/pageable/h2d/1KiB", "null/single"));
  EXPECT_THAT(names(all.skipped),
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
  chosen.sweep_only = true;
  const auto planned = names(make_plan(strategies, *device, chosen).cases);
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
  EXPECT_THAT(names(all.skipped), Contains("copy/pinned_wc/h2d/4B"));
  EXPECT_THAT(names(all.skipped), Contains("zero_copy/pinned_mapped_wc/write/4B"));
  EXPECT_THAT(reasons(all), Each(AllOf(Not(IsEmpty()), Not(HasSubstr("\n")))));
}

class reserving : public testing::Test {
 protected:
  /// Reserves the buffers of a plan with these sizes.
  plan reserve(std::vector<std::size_t> requested, std::vector<std::string> strategies = {}) {
    auto chosen = sizes(std::move(requested));
    chosen.strategies = std::move(strategies);
    auto all = make_plan(some, device, chosen);
    reserve_buffers(all, device, memory);
    return all;
  }

  [[nodiscard]] std::size_t host_bytes(transfers::host_memory_kind kind) const {
    return memory.host(kind).size() - buffers::guard;
  }

  limited_device device;
  buffers memory{device, 1};
};

TEST_F(reserving, takes_one_buffer_per_kind_for_the_largest_size) {
  const auto all = reserve({4, mib, kib});
  EXPECT_THAT(all.skipped, IsEmpty());
  EXPECT_EQ(all.cases.size(), 3U * 2 * 3 + 1);
  EXPECT_EQ(memory.all_host().size(), 2U);
  EXPECT_EQ(host_bytes(transfers::pageable), mib);
  EXPECT_EQ(host_bytes(transfers::pinned()), mib);
  EXPECT_EQ(memory.on_device().size() - buffers::guard, mib);
}

TEST_F(reserving, takes_room_for_all_payloads_of_a_strategy) {
  const auto two = buffers::distance(mib) + mib;
  for (const auto& [needs, on_host, on_device] :
       {std::tuple{requirements{.host = transfers::pageable, .host_payloads = 2}, two, mib},
        {requirements{.host = transfers::pageable, .device_payloads = 2}, mib, two}}) {
    buffers reserved{device, 1};
    const registry strategies{test_strategy("two", {}, needs, named({"a"}))};
    auto all = make_plan(strategies, device, sizes({4, mib}));
    reserve_buffers(all, device, reserved);
    EXPECT_EQ(reserved.host(transfers::pageable).size() - buffers::guard, on_host);
    EXPECT_EQ(reserved.on_device().size() - buffers::guard, on_device);
  }
}

TEST_F(reserving, skips_only_sizes_that_host_memory_is_refused_for) {
  device.host_limit = 64 * kib;  // less than 64 KiB with the guard
  const auto all = reserve({4, kib, 64 * kib, mib});
  for (const auto& planned : all.cases) EXPECT_LE(planned.bytes(), kib) << planned.name;
  EXPECT_EQ(all.cases.size(), 3U * 2 * 2 + 1);
  EXPECT_EQ(all.skipped.size(), 3U * 2 * 2);
  EXPECT_THAT(names(all.skipped), Contains("copy_async/pinned/d2h/64KiB"));
  EXPECT_THAT(names(all.skipped), Contains("copy/pageable/h2d/1MiB"));
  EXPECT_THAT(reasons(all), Each(HasSubstr("host is full")));
  EXPECT_EQ(host_bytes(transfers::pinned()), kib);
  EXPECT_EQ(memory.on_device().size() - buffers::guard, kib);
}

TEST_F(reserving, skips_only_sizes_that_device_memory_is_refused_for) {
  device.device_limit = 2 * kib;
  const auto all = reserve({4, kib, mib});
  EXPECT_EQ(all.cases.size(), 3U * 2 * 2 + 1);
  EXPECT_EQ(all.skipped.size(), 3U * 2);
  EXPECT_THAT(names(all.skipped), Each(HasSubstr("1MiB")));
  EXPECT_THAT(reasons(all), Each(HasSubstr("device is full")));
  EXPECT_EQ(memory.on_device().size() - buffers::guard, kib);
}

TEST_F(reserving, keeps_benchmarks_without_memory_when_all_is_refused) {
  device.host_limit = 0;
  const auto all = reserve({4, kib});
  EXPECT_THAT(names(all.cases), ElementsAre("null/single"));
  EXPECT_EQ(all.skipped.size(), 3U * 2 * 2);
}

TEST_F(reserving, skips_a_kind_of_memory_that_cannot_be_had_at_all) {
  const auto refuse_pins_with = [this](auto error) {
    device.on_host_allocation = [error](transfers::host_memory_kind kind) {
      if (kind == transfers::pinned()) throw error;
    };
    const auto all = reserve({4, kib});
    EXPECT_THAT(names(all.cases),
                ElementsAre("copy/pageable/h2d/4B", "copy/pageable/h2d/1KiB",
                            "copy/pageable/d2h/4B", "copy/pageable/d2h/1KiB", "null/single"));
    EXPECT_EQ(all.skipped.size(), 2U * 2 * 2);
    EXPECT_THAT(reasons(all), Each("no pins today"));
  };
  refuse_pins_with(transfers::unsupported("no pins today"));
  refuse_pins_with(transfers::device_error("no pins today", false));
}

TEST_F(reserving, goes_no_further_with_a_lost_device) {
  device.on_host_allocation = [](auto) { throw transfers::device_error("fell off the bus", true); };
  const auto all = reserve({4, kib});
  EXPECT_THAT(all.skipped, IsEmpty());
  EXPECT_THAT(device.asked_for, testing::SizeIs(1));
  ASSERT_TRUE(all.lost_devices.contains(0));
  EXPECT_EQ(all.lost_devices.at(0).code, "device_lost");
  EXPECT_EQ(all.lost_devices.at(0).text,
            "not run: the device was lost before anything was measured: fell off the bus");
}

/// Strategies that copy at once, beside others, on two devices.
class reserving_on_two : public reserving {
 protected:
  plan reserve(const registry& strategies, const settings& chosen) {
    auto all = make_plan(strategies, devices, chosen);
    reserve_buffers(all, {{device, memory, {}, nullptr, ids[0]},
                          {other, memory_of_other, {}, nullptr, ids[1]}});
    return all;
  }
  [[nodiscard]] registry alone_and_together(const std::vector<std::string>& copies = {}) const {
    auto together =
        test_strategy("b/together", {}, {.host = transfers::pageable, .host_payloads = 2});
    together.concurrent = true;
    return with_sets({test_strategy("a/alone", {}, {.host = transfers::pageable}), together}, ids,
                     copies);
  }

  limited_device other;
  buffers memory_of_other{other, 2};
  const std::vector<std::string> ids{"host:0", "host:1"};
  const std::vector<named_device> devices{{ids[0], device}, {ids[1], other}};
};

TEST_F(reserving_on_two, goes_on_with_the_other) {
  device.on_host_allocation = [](auto) { throw transfers::device_error("gone", true); };
  const auto all = reserve(some, sizes({kib}));
  ASSERT_EQ(all.lost_devices.size(), 1U);
  EXPECT_THAT(all.lost_devices.at(0).text, HasSubstr("the device host:0 was lost before"));
  EXPECT_THAT(all.lost_devices.at(0).data.at("device"), "host:0");
  EXPECT_EQ(memory_of_other.all_host().size(), 2U);
}

TEST_F(reserving_on_two, skips_sets_first_when_all_copies_at_once_need_too_much) {
  const auto available = machine::available_memory_bytes();
  if (available == 0) GTEST_SKIP() << "nobody knows how much memory is available";
  // Room for a payload of each device's host and own memory, but not for two.
  auto chosen = sizes({kib, available / 10 * 9 / 100 * 18});
  chosen.own_sizes = true;
  device.host_limit = other.host_limit = mib;  // nothing large is really allocated
  const auto all = reserve(alone_and_together({"host:0:both+host:1:both"}), chosen);
  ASSERT_FALSE(all.skipped.empty());
  EXPECT_THAT(all.skipped[0].name, StartsWith("b/together/both/all/"));
  EXPECT_EQ(all.skipped[0].reason.code, "not_enough_host_memory");
  EXPECT_THAT(all.skipped[0].reason.text, HasSubstr("for 2 devices"));
  for (const auto& skipped : std::span(all.skipped).subspan(1))
    EXPECT_THAT(skipped.reason.text, HasSubstr("host is full")) << skipped.name;
  EXPECT_THAT(names(all.cases), Contains("b/together/both/all/1KiB"));
}

/// The benchmarks of `some` use three blocks, each of which takes 1 ms for each MiB.
class reserving_in_time : public reserving {
 protected:
  reserving_in_time() { device.time_of_mib = std::chrono::milliseconds(1); }

  plan reserve_within(std::chrono::milliseconds most, std::vector<std::size_t> requested,
                      const registry& strategies = some) {
    auto all = make_plan(strategies, device, sizes(std::move(requested)));
    reserve_buffers(all, device, memory, time_limit(most));
    return all;
  }

  [[nodiscard]] static std::set<std::size_t> sizes_of(const std::vector<benchmark_case>& cases) {
    std::set<std::size_t> sizes;
    for (const auto& planned : cases) sizes.insert(planned.bytes());
    return sizes;
  }

 private:
  fake_clock clock_;
};

TEST_F(reserving_in_time, sets_nothing_aside_that_takes_half_of_it) {
  const auto all = reserve_within(std::chrono::milliseconds(500), {kib, 4 * mib, 64 * mib});
  EXPECT_THAT(all.set_aside, IsEmpty());
  EXPECT_EQ(host_bytes(transfers::pinned()), 64 * mib);
}

TEST_F(reserving_in_time, sets_sizes_aside_that_take_more) {
  const auto all = reserve_within(std::chrono::milliseconds(200), {kib, 4 * mib, 64 * mib});
  EXPECT_THAT(sizes_of(all.set_aside), ElementsAre(64 * mib));
  EXPECT_THAT(sizes_of(all.cases), ElementsAre(0, kib, 4 * mib));
  EXPECT_THAT(all.skipped, IsEmpty());
  EXPECT_EQ(host_bytes(transfers::pinned()), 4 * mib);
  EXPECT_THAT(device.asked_for, Each(testing::Lt(5 * mib)));
}

TEST_F(reserving_in_time, sets_aside_what_allocates_so_much_itself) {
  auto strategies = some;
  strategies.push_back(make_strategy("allocate/pinned", std::nullopt));
  const auto all = reserve_within(std::chrono::milliseconds(200), {4 * mib, 64 * mib}, strategies);
  EXPECT_THAT(names(all.set_aside), Contains("allocate/pinned/h2d/64MiB"));
  EXPECT_THAT(names(all.cases), Contains("allocate/pinned/h2d/4MiB"));
}

TEST_F(reserving_in_time, keeps_the_smallest_size_and_begins_no_block_when_it_is_up) {
  const auto all = reserve_within(std::chrono::milliseconds(20), {16 * mib, 64 * mib});
  EXPECT_THAT(sizes_of(all.set_aside), ElementsAre(64 * mib));
  EXPECT_THAT(sizes_of(all.cases), ElementsAre(0, 16 * mib));
  EXPECT_EQ(std::ranges::count(device.asked_for, 16 * mib + buffers::guard), 1);
}

TEST_F(reserving_in_time, has_none_to_ask_for_where_there_is_no_limit) {
  auto all = make_plan(some, device, sizes({kib, 64 * mib}));
  reserve_buffers(all, device, memory);
  EXPECT_THAT(all.set_aside, IsEmpty());
  EXPECT_THAT(device.asked_for, Each(testing::Eq(64 * mib + buffers::guard)));
}

TEST_F(reserving, asks_for_nothing_when_nothing_is_needed) {
  const auto all = reserve({4, kib}, {"null"});
  EXPECT_THAT(names(all.cases), ElementsAre("null/single"));
  EXPECT_THAT(device.asked_for, IsEmpty());
}

TEST_F(reserving, does_not_try_sizes_beyond_this_computers_memory) {
  const auto available = machine::available_memory_bytes();
  if (available == 0) GTEST_SKIP() << "nobody knows how much memory is available";
  const auto absurd = std::size_t{1} << 50;
  ASSERT_GT(absurd, available);
  const auto all = reserve({4, absurd});
  EXPECT_EQ(all.cases.size(), 3U * 2 + 1);
  EXPECT_EQ(all.skipped.size(), 3U * 2);
  EXPECT_THAT(reasons(all), Each(StartsWith("not enough host memory")));
  EXPECT_THAT(device.asked_for, Each(testing::Lt(kib)));
}

TEST_F(reserving_on_two, skips_copies_at_once_before_single_ones) {
  other.host_limit = mib + mib / 2;  // room for a single payload
  const auto all = reserve(alone_and_together(), sizes({kib, mib}));
  EXPECT_THAT(names(all.skipped), ElementsAre("b/together/h2d/all/1MiB", "b/together/d2h/all/1MiB",
                                              "b/together/both/all/1MiB"));
  EXPECT_THAT(reasons(all), Each(HasSubstr("host is full")));
  EXPECT_THAT(names(all.cases), testing::IsSupersetOf({"a/alone/1MiB@host:0", "a/alone/1MiB@host:1",
                                                       "b/together/h2d/all/1KiB"}));
  EXPECT_GE(memory_of_other.host(transfers::pageable).size(), mib);
}

TEST_F(reserving_on_two, takes_the_memory_that_each_copy_names) {
  auto listed = test_strategy("b/listed", {}, {.host_payloads = 2});
  listed.concurrent = listed.memory_by_copy = true;
  const registry known{make_strategy("b/pageable", transfers::pageable),
                       make_strategy("b/pinned", transfers::pinned()), listed};
  auto strategies = known;
  for (auto& strategy : strategies) strategy.concurrent = true;
  strategies = with_sets(strategies, ids, {"host:0:h2d:pinned+host:1:d2h:pageable"});
  const auto all = reserve(strategies, sizes({kib}));
  EXPECT_THAT(names(all.cases),
              ElementsAre("b/listed/mixed/host:0:h2d:pinned+host:1:d2h:pageable/1KiB"));
  EXPECT_THAT(all.skipped, IsEmpty());
  EXPECT_EQ(host_bytes(transfers::pinned()), buffers::distance(kib) + kib);
  EXPECT_EQ(memory.all_host().size(), 1U);
  ASSERT_EQ(memory_of_other.all_host().size(), 1U);
  EXPECT_EQ(memory_of_other.all_host().begin()->first, transfers::pageable);

  other.refused_kinds[transfers::pageable] = "no pages today";
  const auto refused = make_plan(strategies, devices, sizes({kib}));
  EXPECT_THAT(refused.cases, IsEmpty());
  EXPECT_THAT(reasons(refused), ElementsAre("no pages today"));
}

TEST_F(reserving_on_two, counts_the_memory_of_both) {
  const auto available = machine::available_memory_bytes();
  if (available == 0) GTEST_SKIP() << "nobody knows how much memory is available";
  // Room for the buffers of one device, but not of two.
  const auto third = available / 10 * 9 / 100 * 35;
  auto chosen = sizes({kib, third});
  chosen.own_sizes = true;
  device.host_limit = other.host_limit = mib;  // nothing large is really allocated
  const auto all = reserve({test_strategy("a/user", {}, {.host = transfers::pageable})}, chosen);
  EXPECT_THAT(names(all.cases), ElementsAre("a/user/1KiB@host:0", "a/user/1KiB@host:1"));
  ASSERT_THAT(all.skipped, testing::SizeIs(2));
  EXPECT_EQ(all.skipped[0].reason.code, "not_enough_host_memory");
  EXPECT_THAT(all.skipped[0].reason.text, HasSubstr("for 2 devices"));
}

TEST_F(reserving, counts_memory_that_operations_allocate) {
  const auto available = machine::available_memory_bytes();
  if (available == 0) GTEST_SKIP() << "nobody knows how much memory is available";
  const auto absurd = std::size_t{1} << 50;
  const registry takers{test_strategy("a/none"),
                        test_strategy("b/taker", {}, {.more_host_memory = true})};
  auto chosen = sizes({4, kib, absurd});
  chosen.own_sizes = true;
  auto all = make_plan(takers, device, chosen);
  reserve_buffers(all, device, memory);
  // Benchmarks without memory needs remain.
  EXPECT_THAT(names(all.cases), ElementsAre("a/none/4B", "a/none/1KiB", "a/none/1024TiB",
                                            "b/taker/4B", "b/taker/1KiB"));
  EXPECT_THAT(names(all.skipped), ElementsAre("b/taker/1024TiB"));
  EXPECT_THAT(all.skipped[0].reason.text, StartsWith("not enough host memory"));
  EXPECT_THAT(device.asked_for, IsEmpty());  // nothing is reserved for them
}

TEST_F(reserving, counts_buffers_and_memory_of_operations_together) {
  const auto available = machine::available_memory_bytes();
  if (available == 0) GTEST_SKIP() << "nobody knows how much memory is available";
  // Each has room by itself: a buffer with its counterpart on the device, and an allocation.
  const auto third = available / 10 * 9 / 100 * 40;
  const registry registry{test_strategy("a/user", {}, {.host = transfers::pageable}),
                          test_strategy("b/taker", {}, {.more_host_memory = true})};
  auto chosen = sizes({kib, third});
  chosen.own_sizes = true;
  device.host_limit = device.device_limit = mib;  // nothing large is really allocated
  auto all = make_plan(registry, device, chosen);
  reserve_buffers(all, device, memory);
  const auto large = common::format_size(third);
  EXPECT_THAT(names(all.skipped), Contains("a/user/" + large));
  const auto because_of_both = std::ranges::any_of(all.skipped, [](const skipped_case& skipped) {
    return skipped.reason.code == "not_enough_host_memory";
  });
  EXPECT_TRUE(because_of_both);
  // Without the buffers, there is room for the allocation.
  EXPECT_THAT(names(all.cases), testing::IsSupersetOf({"a/user/1KiB", "b/taker/1KiB"}));
  EXPECT_THAT(names(all.cases), Contains("b/taker/" + large));
}

}  // namespace
}  // namespace bench_transfers::bench::plan_test
