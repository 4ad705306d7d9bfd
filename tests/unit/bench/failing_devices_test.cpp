
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "bench/harness/reserve.hpp"
#include "bench/harness/sets.hpp"
#include "tests/basics.hpp"
#include "tests/unit/bench/host_session.hpp"
#include "tests/unit/bench/hourly_stream.hpp"
#include "tests/unit/transfers/forwarding_device.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::failing_devices_test {
namespace {

/// A host device that refuses some calls.
class refusing_device final : public transfers::forwarding_device {
 public:
  std::function<void()> on_allocation = [] {};
  std::function<void()> on_stream = [] {};

  [[nodiscard]] transfers::host_memory allocate_host(std::size_t bytes,
                                                     transfers::host_memory_kind kind) override {
    on_allocation();
    return forwarding_device::allocate_host(bytes, kind);
  }
  [[nodiscard]] std::unique_ptr<transfers::stream> create_stream() override {
    on_stream();
    return forwarding_device::create_stream();
  }
};

[[noreturn]] void lose() { throw transfers::device_error("fallen off the bus", true); }

/// Uses the devices of its sets, but not at once: whether they can be depends on the machine.
strategy one_copy_of_a_set() {
  auto together = test_strategy("together", {}, {.host = transfers::pageable});
  together.concurrent = true;
  together.prepare = [](const job& task) { return synchronous_copy(task, transfers::pageable); };
  return together;
}

/// A session on three devices, of which the second refuses what tests say.
class failing_devices : public host_session {
 protected:
  failing_devices() {
    strategies.push_back(one_copy_of_a_set());
    strategies = with_sets(strategies, {ids});
    chosen.strategies = {"copy/pageable", "together/h2d"};
    chosen.sizes = {4 * kib};
  }

  outcome run_session() {
    std::vector<named_device> named;
    device_list list;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      named.push_back({ids[i], devices[i]});
      memory.push_back(std::make_unique<buffers>(devices[i], chosen.seed));
      list.push_back({devices[i], *memory[i], {}, nullptr, ids[i]});
    }
    planned = make_plan(strategies, named, chosen);
    reserve_buffers(planned, list);
    return session(list, chosen, rows, shown, around).measure(planned);
  }

  /// The names of the planned benchmarks that use the second device.
  [[nodiscard]] std::vector<std::string> names_of_the_second() const {
    std::vector<std::string> names;
    for (const auto& benchmark : planned.cases)
      if (std::ranges::count(benchmark.devices, 1U) > 0) names.push_back(benchmark.name);
    return names;
  }

  void expect_loss(const outcome& result) {
    const auto failed = by_name(result.failures);
    std::vector<std::string> names;
    for (const auto& [name, reason] : failed) {
      names.push_back(name);
      EXPECT_EQ(reason,
                "not run: the device host:1 was lost before anything was measured: fallen off the "
                "bus");
    }
    EXPECT_THAT(names, UnorderedElementsAreArray(names_of_the_second()));
    EXPECT_THAT(result.lost_devices, ElementsAre(1U));
    EXPECT_THAT(result.skipped, IsEmpty());
    expect_all_others_ran(result);
  }

  const std::vector<std::string> ids{"host:0", "host:1", "host:2"};
  std::vector<refusing_device> devices{3};
  std::vector<std::unique_ptr<buffers>> memory;
};

TEST_F(failing_devices, lost_while_buffers_are_reserved_cost_only_their_own_benchmarks) {
  devices[1].on_allocation = lose;
  expect_loss(run_session());
  EXPECT_THAT(planned.skipped, IsEmpty());
}

TEST_F(failing_devices, lost_when_the_session_begins_cost_only_their_own_benchmarks) {
  devices[1].on_stream = lose;
  expect_loss(run_session());
}

TEST_F(failing_devices, that_refuse_memory_cost_only_their_own_benchmarks) {
  devices[1].on_allocation = [] { throw transfers::out_of_memory("full"); };
  const auto result = run_session();
  EXPECT_THAT(planned.skipped, SizeIs(2 + 3));
  for (const auto& skipped : planned.skipped) {
    EXPECT_EQ(skipped.reason.code, "memory_refused") << skipped.name;
    EXPECT_THAT(skipped.benchmark->devices, Contains(1U)) << skipped.name;
  }
  EXPECT_THAT(result.lost_devices, IsEmpty());
  expect_all_others_ran(result);
}

TEST_F(failing_devices, that_get_no_stream_cost_only_their_own_benchmarks) {
  devices[1].on_stream = [] {
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
  };
  const auto result = run_session();
  std::vector<std::string> names;
  for (const auto& [name, reason, benchmark] : result.skipped) {
    names.push_back(name);
    EXPECT_EQ(reason.code, "threads_refused");
  }
  EXPECT_THAT(names, UnorderedElementsAreArray(names_of_the_second()));
  EXPECT_THAT(result.failures, IsEmpty());
  EXPECT_THAT(result.lost_devices, IsEmpty());
}

TEST_F(failing_devices, none_of_which_gets_a_stream_end_the_run) {
  for (auto& lost : devices) lost.on_stream = lose;
  EXPECT_THROW(run_session(), transfers::device_error);
}

/// Copies at once whose second one takes part from the second round on, and is never at once with
/// the first.
strategy never_at_once_later(std::vector<refusing_device>& devices) {
  auto copies = find_strategy("concurrent/pageable");
  copies.family = "later";
  copies.prepare = [prepare = copies.prepare, &devices,
                    prepared = std::make_shared<int>(0)](const job& task) {
    auto operation = prepare(task);
    constexpr int settling_and_first_round = 2;
    if (++*prepared <= settling_and_first_round)
      operation.flows.resize(1);
    else
      make_hourly(operation.flows[1], devices[operation.flows[1].device]);
    return operation;
  };
  return copies;
}

TEST_F(failing_devices, whose_copies_are_not_at_once_later_keep_what_they_had_measured) {
  strategies = with_sets({never_at_once_later(devices)}, {ids}, {"host:0:h2d+host:2:h2d"});
  chosen.strategies = {};
  chosen.sizes = {1024 * kib};
  const auto result = run_session();
  ASSERT_THAT(planned_names(), ElementsAre("later/pageable/h2d/host:0+host:2/1MiB"));
  ASSERT_THAT(result.failures, SizeIs(1));
  EXPECT_EQ(result.failures[0].reason.code, "not_at_once");
  EXPECT_THAT(result.failures[0].reason.text,
              "the copies were never busy at once for long enough in 21 samples");
  EXPECT_THAT(names(result.runs), ElementsAre("later/pageable/h2d/host:0+host:2/1MiB"));
  EXPECT_THAT(result.lost_devices, IsEmpty());
  const auto& content = rows.content().at("benchmarks");
  ASSERT_EQ(content.size(), 2U);
  EXPECT_TRUE(content[0].contains("sum_gb_per_s"));
  EXPECT_EQ(content[1].at("error_code"), "not_at_once");
}

}  // namespace
}  // namespace bench_transfers::bench::failing_devices_test
