#include "bench/harness/reserve.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "bench/harness/sets.hpp"
#include "src/common/quantities.hpp"
#include "src/machine/machine.hpp"
#include "tests/basics.hpp"
#include "tests/unit/bench/made_up_plans.hpp"

namespace bench_transfers::bench::reserve_test {
namespace {

using namespace made_up_plans;

class reserving : public testing::Test {
 protected:
  /// Reserves the buffers of a plan with these sizes.
  plan reserve(std::vector<std::size_t> requested, std::vector<std::string> strategies = {}) {
    auto chosen = sizes(std::move(requested));
    chosen.strategies = std::move(strategies);
    auto all = make_plan(some, device, chosen);
    reserve_buffers(all, {{device, memory}});
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
    reserve_buffers(all, {{device, reserved}});
    EXPECT_EQ(reserved.host(transfers::pageable).size() - buffers::guard, on_host);
    EXPECT_EQ(reserved.on_device().size() - buffers::guard, on_device);
  }
}

TEST_F(reserving, takes_a_device_buffer_alone_for_copies_within_the_device) {
  for (const std::size_t payloads : {1U, 2U}) {
    buffers reserved{device, 1};
    const registry strategies{
        test_strategy("alone", {}, {.device_payloads = payloads}, named({"a"}))};
    auto all = make_plan(strategies, device, sizes({4, mib}));
    reserve_buffers(all, {{device, reserved}});
    EXPECT_THAT(reserved.all_host(), IsEmpty());
    if (payloads == 1)
      EXPECT_THROW(static_cast<void>(reserved.on_device()), std::logic_error);
    else
      EXPECT_EQ(reserved.on_device().size() - buffers::guard, buffers::distance(mib) + mib);
  }
}

TEST_F(reserving, skips_only_sizes_that_host_memory_is_refused_for) {
  device.host_limit = 64 * kib;  // less than 64 KiB with the guard
  const auto all = reserve({4, kib, 64 * kib, mib});
  for (const auto& planned : all.cases) EXPECT_LE(planned.bytes(), kib) << planned.name;
  EXPECT_EQ(all.cases.size(), 3U * 2 * 2 + 1);
  EXPECT_EQ(all.skipped.size(), 3U * 2 * 2);
  EXPECT_THAT(names_of(all.skipped), Contains("copy_async/pinned/d2h/64KiB"));
  EXPECT_THAT(names_of(all.skipped), Contains("copy/pageable/h2d/1MiB"));
  EXPECT_THAT(reasons(all), Each(HasSubstr("host is full")));
  EXPECT_EQ(host_bytes(transfers::pinned()), kib);
  EXPECT_EQ(memory.on_device().size() - buffers::guard, kib);
}

TEST_F(reserving, skips_only_sizes_that_device_memory_is_refused_for) {
  device.device_limit = 2 * kib;
  const auto all = reserve({4, kib, mib});
  EXPECT_EQ(all.cases.size(), 3U * 2 * 2 + 1);
  EXPECT_EQ(all.skipped.size(), 3U * 2);
  EXPECT_THAT(names_of(all.skipped), Each(HasSubstr("1MiB")));
  EXPECT_THAT(reasons(all), Each(HasSubstr("device is full")));
  EXPECT_EQ(memory.on_device().size() - buffers::guard, kib);
}

TEST_F(reserving, keeps_benchmarks_without_memory_when_all_is_refused) {
  device.host_limit = 0;
  const auto all = reserve({4, kib});
  EXPECT_THAT(names_of(all.cases), ElementsAre("null/single"));
  EXPECT_EQ(all.skipped.size(), 3U * 2 * 2);
}

TEST_F(reserving, skips_a_kind_of_memory_that_cannot_be_had_at_all) {
  const auto refuse_pins_with = [this](auto error) {
    device.on_host_allocation = [error](transfers::host_memory_kind kind) {
      if (kind == transfers::pinned()) throw error;
    };
    const auto all = reserve({4, kib});
    EXPECT_THAT(names_of(all.cases),
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
  EXPECT_THAT(device.asked_for, SizeIs(1));
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
    return with_sets({test_strategy("a/alone", {}, {.host = transfers::pageable}), together}, {ids},
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
  EXPECT_THAT(names_of(all.cases), Contains("b/together/both/all/1KiB"));
}

/// The benchmarks of `some` use three blocks, each of which takes 1 ms for each MiB.
class reserving_in_time : public reserving {
 protected:
  reserving_in_time() { device.time_of_mib = std::chrono::milliseconds(1); }

  plan reserve_within(std::chrono::milliseconds most, std::vector<std::size_t> requested,
                      const registry& strategies = some) {
    auto all = make_plan(strategies, device, sizes(std::move(requested)));
    reserve_buffers(all, {{device, memory}}, time_limit(most));
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
  EXPECT_THAT(device.asked_for, Each(Lt(5 * mib)));
}

TEST_F(reserving_in_time, sets_aside_what_allocates_so_much_itself) {
  auto strategies = some;
  strategies.push_back(make_strategy("allocate/pinned", std::nullopt));
  const auto all = reserve_within(std::chrono::milliseconds(200), {4 * mib, 64 * mib}, strategies);
  EXPECT_THAT(names_of(all.set_aside), Contains("allocate/pinned/h2d/64MiB"));
  EXPECT_THAT(names_of(all.cases), Contains("allocate/pinned/h2d/4MiB"));
}

TEST_F(reserving_in_time, keeps_the_smallest_size_and_begins_no_block_when_it_is_up) {
  const auto all = reserve_within(std::chrono::milliseconds(20), {16 * mib, 64 * mib});
  EXPECT_THAT(sizes_of(all.set_aside), ElementsAre(64 * mib));
  EXPECT_THAT(sizes_of(all.cases), ElementsAre(0, 16 * mib));
  EXPECT_EQ(std::ranges::count(device.asked_for, 16 * mib + buffers::guard), 1);
}

TEST_F(reserving_in_time, has_none_to_ask_for_where_there_is_no_limit) {
  auto all = make_plan(some, device, sizes({kib, 64 * mib}));
  reserve_buffers(all, {{device, memory}});
  EXPECT_THAT(all.set_aside, IsEmpty());
  EXPECT_THAT(device.asked_for, Each(Eq(64 * mib + buffers::guard)));
}

TEST_F(reserving, asks_for_nothing_when_nothing_is_needed) {
  const auto all = reserve({4, kib}, {"null"});
  EXPECT_THAT(names_of(all.cases), ElementsAre("null/single"));
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
  EXPECT_THAT(device.asked_for, Each(Lt(kib)));
}

TEST_F(reserving_on_two, skips_copies_at_once_before_single_ones) {
  other.host_limit = mib + mib / 2;  // room for a single payload
  const auto all = reserve(alone_and_together(), sizes({kib, mib}));
  EXPECT_THAT(names_of(all.skipped),
              ElementsAre("b/together/h2d/all/1MiB", "b/together/d2h/all/1MiB",
                          "b/together/both/all/1MiB"));
  EXPECT_THAT(reasons(all), Each(HasSubstr("host is full")));
  EXPECT_THAT(names_of(all.cases), IsSupersetOf({"a/alone/1MiB@host:0", "a/alone/1MiB@host:1",
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
  strategies = with_sets(strategies, {ids}, {"host:0:h2d:pinned+host:1:d2h:pageable"});
  const auto all = reserve(strategies, sizes({kib}));
  EXPECT_THAT(names_of(all.cases),
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
  EXPECT_THAT(names_of(all.cases), ElementsAre("a/user/1KiB@host:0", "a/user/1KiB@host:1"));
  ASSERT_THAT(all.skipped, SizeIs(2));
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
  reserve_buffers(all, {{device, memory}});
  // Benchmarks without memory needs remain.
  EXPECT_THAT(names_of(all.cases), ElementsAre("a/none/4B", "a/none/1KiB", "a/none/1024TiB",
                                               "b/taker/4B", "b/taker/1KiB"));
  EXPECT_THAT(names_of(all.skipped), ElementsAre("b/taker/1024TiB"));
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
  reserve_buffers(all, {{device, memory}});
  const auto large = common::format_size(third);
  EXPECT_THAT(names_of(all.skipped), Contains("a/user/" + large));
  const auto because_of_both = std::ranges::any_of(all.skipped, [](const skipped_case& skipped) {
    return skipped.reason.code == "not_enough_host_memory";
  });
  EXPECT_TRUE(because_of_both);
  // Without the buffers, there is room for the allocation.
  EXPECT_THAT(names_of(all.cases), IsSupersetOf({"a/user/1KiB", "b/taker/1KiB"}));
  EXPECT_THAT(names_of(all.cases), Contains("b/taker/" + large));
}

}  // namespace
}  // namespace bench_transfers::bench::reserve_test
