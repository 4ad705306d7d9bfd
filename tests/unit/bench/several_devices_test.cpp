
#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bench/harness/reserve.hpp"
#include "bench/harness/sets.hpp"
#include "tests/basics.hpp"
#include "tests/unit/bench/host_session.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::several_devices_test {
namespace {

/// A session on several host devices.
class several_devices : public host_session {
 protected:
  several_devices() {
    chosen.strategies = {"copy/pageable", "copy_async/pinned"};
    chosen.sizes = {4 * kib};
  }

  [[nodiscard]] std::vector<named_device> named() const {
    std::vector<named_device> named;
    for (std::size_t i = 0; i < devices.size(); ++i)
      named.push_back({"host:" + std::to_string(i), *devices[i]});
    return named;
  }

  outcome run_session() {
    planned = make_plan(strategies, named(), chosen);
    device_list list;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      memory.push_back(std::make_unique<buffers>(*devices[i], chosen.seed));
      list.push_back({*devices[i], *memory[i], {}, nullptr, named()[i].id});
    }
    reserve_buffers(planned, list);
    return session(list, chosen, rows, shown, around).measure(planned);
  }

  std::vector<std::unique_ptr<transfers::device>> devices = [] {
    std::vector<std::unique_ptr<transfers::device>> opened;
    for (int i = 0; i < 3; ++i) opened.push_back(transfers::open_host_device());
    return opened;
  }();
  std::vector<std::unique_ptr<buffers>> memory;
};

TEST_F(several_devices, are_told_apart_by_name_and_field) {
  planned = make_plan(strategies, named(), chosen);
  EXPECT_THAT(planned.skipped, IsEmpty());
  ASSERT_THAT(planned.cases, SizeIs(12));
  for (const auto& benchmark : planned.cases) {
    ASSERT_THAT(benchmark.devices, SizeIs(1)) << benchmark.name;
    EXPECT_TRUE(benchmark.name.ends_with("@host:" + std::to_string(benchmark.devices[0])))
        << benchmark.name;
    EXPECT_THAT(benchmark.strategy, Not(HasSubstr("@")));
  }
}

TEST_F(several_devices, a_single_one_is_not_named) {
  devices.resize(1);
  planned = make_plan(strategies, named(), chosen);
  EXPECT_THAT(planned_names(), Contains("copy/pageable/h2d/4KiB"));
  EXPECT_THAT(planned_names(), Each(Not(HasSubstr("@"))));
}

TEST_F(several_devices, are_measured_in_shuffled_rounds_each_with_buffers_of_its_own) {
  const auto result = run_session();
  EXPECT_THAT(result.failures, IsEmpty());
  expect_all_others_ran(result);
  std::vector<std::size_t> order;
  for (const auto& name : names(result.runs)) order.push_back(name.back() - '0');
  EXPECT_FALSE(std::ranges::is_sorted(order));
  const auto* const pageable = memory[0]->host(transfers::pageable).data();
  EXPECT_NE(memory[1]->host(transfers::pageable).data(), pageable);
  EXPECT_THAT(result.throttled_by, SizeIs(3));
}

TEST_F(several_devices, one_lost_costs_only_its_own_benchmarks) {
  chosen.faults = {parse_fault("lose@^copy/pageable/h2d/.*@host:1$")};
  const auto result = run_session();
  EXPECT_THAT(result.lost_devices, ElementsAre(1U));
  const auto failed = by_name(result.failures);
  EXPECT_THAT(failed, SizeIs(4));
  for (const auto& [name, reason] : failed) {
    EXPECT_TRUE(name.ends_with("@host:1")) << name;
    const bool is_first = name == "copy/pageable/h2d/4KiB@host:1";
    EXPECT_THAT(reason, HasSubstr("injected"));
    EXPECT_EQ(reason.starts_with("not run: the device host:1 was lost in "), !is_first) << name;
  }
  expect_all_others_ran(result);
}

TEST_F(several_devices, a_loss_that_none_of_them_confirms_costs_only_what_noticed_it) {
  auto together = test_strategy("together", {}, {.host = transfers::pageable});
  together.concurrent = true;
  together.prepare = [](const job&) -> transfer { throw transfers::device_error("gone", true); };
  strategies.push_back(together);
  strategies = with_sets(strategies, {{"host:0", "host:1", "host:2"}});
  chosen.strategies = {"copy/pageable/h2d", "together/h2d/all"};
  const auto result = run_session();
  EXPECT_THAT(by_name(result.failures), ElementsAre(Pair("together/h2d/all/4KiB", "gone")));
  EXPECT_THAT(result.lost_devices, IsEmpty());
  expect_all_others_ran(result);
}

TEST_F(several_devices, copies_at_once_verify_what_each_has_moved) {
  strategies = with_sets(strategies, {{"host:0", "host:1", "host:2"}});
  chosen.strategies = {"concurrent/pinned"};
  chosen.sizes = {1024 * kib};
  chosen.faults = {parse_fault("corrupt@d2h/host:0.host:2/1MiB host:2:d2h")};
  const auto result = run_session();
  auto failures = result.failures;
  // On a busy computer the threads of a set may get no processors at the same time, in any round.
  std::set<std::string> never_at_once;
  std::erase_if(failures, [&](const auto& failed) {
    const bool too_busy = failed.reason.code == "not_at_once";
    if (too_busy) never_at_once.insert(failed.name);
    return too_busy;
  });
  // Data are verified before the copies are timed, so a busy computer does not change this.
  const std::string corrupted = "concurrent/pinned/d2h/host:0+host:2/1MiB";
  EXPECT_THAT(by_name(failures),
              ElementsAre(Pair(corrupted, HasSubstr("wrong data: host:2:d2h: 1 of 1048576"))));
  const auto ran = names(result.runs);
  for (const auto& name : planned_names()) {
    if (never_at_once.contains(name)) continue;
    EXPECT_EQ(std::ranges::count(ran, name), name == corrupted ? 0 : chosen.rounds) << name;
  }
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const auto& block = memory[i]->host(transfers::pinned());
    EXPECT_EQ(check_host_pattern(block.data(), 0, block.size(), memory[i]->pattern()).wrong_bytes,
              0U);
    const auto& on_device = memory[i]->on_device();
    EXPECT_EQ(
        check_pattern(*devices[i], on_device.data(), 0, on_device.size(), memory[i]->pattern())
            .wrong_bytes,
        0U);
  }
}

}  // namespace
}  // namespace bench_transfers::bench::several_devices_test
