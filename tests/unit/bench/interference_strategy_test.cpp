#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "bench/strategies/small_copies.hpp"
#include "tests/unit/bench/host_session.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::interference_strategy_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::size_t mib = 1024 * kib;

using ns = small_copy_times::time;

TEST(count_waits, counts_copies_that_the_bulk_copy_could_delay) {
  // Until 1000 a bulk copy is under way; alone a small copy would take 50.
  const auto counted = count_waits({{ns(0), ns(60), ns(1000)},
                                    {ns(900), ns(960), ns(1000)},
                                    {ns(951), ns(961), ns(1000)},
                                    {ns(1200), ns(1210), ns(1000)}},
                                   ns(50));
  EXPECT_THAT(counted.ns, ElementsAre(60, 60));
  EXPECT_EQ(counted.outlasting, 0U);
}

TEST(count_waits, counts_copies_that_waited_for_the_end_of_the_bulk_copy) {
  const auto counted = count_waits(
      {{ns(0), ns(1010), ns(1000)}, {ns(500), ns(1030), ns(1000)}, {ns(10), ns(20), ns(1000)}},
      ns(50));
  EXPECT_THAT(counted.ns, ElementsAre(1010, 530, 10));
  EXPECT_EQ(counted.outlasting, 2U);
}

TEST(count_waits, of_nothing_are_none) { EXPECT_THAT(count_waits({}, ns(1)).ns, IsEmpty()); }

TEST_F(host_session, small_copies_have_each_method_direction_and_size_beside_each_bulk_copy) {
  chosen.strategies = {"interference"};
  chosen.sizes = {16 * mib};
  chosen.own_sizes = true;
  const auto all = make_plan(strategies, *device, chosen);
  EXPECT_THAT(all.skipped, IsEmpty());
  std::set<std::string> names;
  std::map<std::string, int> methods;
  for (const auto& described : all.cases) {
    names.insert(described.name);
    ++methods[described.method.value_or("")];
    EXPECT_EQ(described.memory, "pinned_mapped");
    EXPECT_EQ(described.role, "interference");
    if (described.name == "interference/4MiB_chunks/kernel/d2h/50KiB_h2d/16MiB") {
      EXPECT_EQ(described.direction, result_file::direction::d2h);
      EXPECT_EQ(described.setting, "50KiB_h2d_by_kernel");
    }
  }
  EXPECT_THAT(names, SizeIs(4 * 2 * 2 * 2 * 2));
  EXPECT_TRUE(names.contains("interference/engine/memcpy/h2d/4KiB_h2d/16MiB"));
  EXPECT_TRUE(names.contains("interference/4MiB_chunks/kernel/d2h/50KiB_h2d/16MiB"));
  EXPECT_THAT(methods,
              ElementsAre(testing::Pair("1MiB_chunks", 16), testing::Pair("4MiB_chunks", 16),
                          testing::Pair("engine", 16), testing::Pair("kernel", 16)));
}

const std::vector<std::string> one_of_each_bulk_method{
    "interference/engine/memcpy/h2d/4KiB_h2d", "interference/1MiB_chunks/memcpy/d2h/50KiB_h2d",
    "interference/kernel/kernel/h2d/50KiB_d2h", "interference/4MiB_chunks/kernel/d2h/4KiB_d2h"};

TEST_F(host_session, small_copies_tell_their_percentiles_and_what_the_bulk_copy_loses) {
  chosen.strategies = one_of_each_bulk_method;
  chosen.sizes = {8 * mib + 5};
  chosen.own_sizes = true;
  chosen.rounds = 1;
  EXPECT_THAT(run_session().failures, IsEmpty());
  EXPECT_EQ(left_wrong, 0U);
  for (const auto& row : rows.content().at("benchmarks")) {
    SCOPED_TRACE(row.dump());
    const bool is_of_4_kib = row.at("name").get<std::string>().find("/4KiB_") != std::string::npos;
    EXPECT_EQ(row.at("small_bytes"), (is_of_4_kib ? 4 : 50) * kib);
    EXPECT_EQ(row.at("bytes"), 8 * mib + 5);
    EXPECT_GT(row.at("small_alone_p50_ns"), 0);
    EXPECT_GE(row.at("small_alone_p99_ns"), row.at("small_alone_p50_ns"));
    const auto rate = row.at("bulk_gb_per_s").get<double>();
    const auto rate_alone = row.at("bulk_alone_gb_per_s").get<double>();
    EXPECT_NEAR(row.at("bulk_loss_percent").get<double>(), 100 * (1 - rate / rate_alone), 1e-4);
    // On a busy machine, a bulk copy of this size may end before a small one does.
    const auto count = row.at("small_copies").get<std::size_t>();
    EXPECT_EQ(row.contains("small_p50_ns"), count >= 1);
    EXPECT_EQ(row.contains("small_p99_ns"), count >= 100);
    EXPECT_EQ(row.contains("small_p999_ns"), count >= 1000);
    if (count > 0) {
      EXPECT_GE(row.at("small_max_ns"), row.at("small_p50_ns"));
      EXPECT_LE(row.at("outlasting_percent"), 100);
    }
  }
}

TEST_F(host_session, a_corrupted_byte_of_a_bulk_copy_is_detected) {
  chosen.strategies = one_of_each_bulk_method;
  chosen.sizes = {mib};
  chosen.own_sizes = true;
  chosen.faults = {parse_fault("corrupt@.")};
  const auto failed = by_name(run_session().failures);
  EXPECT_THAT(failed, SizeIs(one_of_each_bulk_method.size()));
  for (const auto& [name, reason] : failed) EXPECT_THAT(reason, HasSubstr("bulk copy: 1 bytes"));
  EXPECT_EQ(left_wrong, 0U);
}

/// Streams whose copies of more than a MiB end when enough smaller ones have ended, and whose
/// smaller ones may move nothing.
struct gate {
  std::atomic<std::size_t> small_copies = 0;
  std::atomic<std::size_t> needed = 0;
  std::atomic<bool> small_copies_are_lost = false;
};

class gated_stream : public transfers::counting_stream {
 public:
  gated_stream(std::unique_ptr<transfers::stream> inner,
               std::shared_ptr<transfers::device_counts> counts, std::shared_ptr<gate> shared)
      : counting_stream(std::move(inner), std::move(counts)), gate_(std::move(shared)) {}

  void copy(std::byte* dst, const std::byte* src, std::size_t bytes,
            transfers::direction direction) override {
    if (bytes >= mib) {
      call([shared = gate_] {
        while (shared->small_copies < shared->needed) std::this_thread::yield();
      });
      return counting_stream::copy(dst, src, bytes, direction);
    }
    if (!gate_->small_copies_are_lost) counting_stream::copy(dst, src, bytes, direction);
    call([shared = gate_] { ++shared->small_copies; });
  }

 private:
  std::shared_ptr<gate> gate_;
};

class gated_device : public transfers::forwarding_device {
 public:
  gated_device() : forwarding_device(transfers::open_host_device()) {}
  [[nodiscard]] std::unique_ptr<transfers::stream> create_stream() override {
    return std::make_unique<gated_stream>(forwarding_device::create_stream(), counts, shared);
  }

  std::shared_ptr<transfers::device_counts> counts = std::make_shared<transfers::device_counts>();
  std::shared_ptr<gate> shared = std::make_shared<gate>();
};

/// Operations of one benchmark.
template <class Device>
class operations {
 public:
  operations(const std::string& name, const std::string& variant, std::size_t bytes = 4 * mib) {
    const auto kind = transfers::pinned(transfers::pin_flags::mapped);
    memory_.reserve_host(kind, bytes);
    memory_.reserve_device(bytes);
    const auto all = registered_strategies();
    const auto match = std::ranges::find(all, name, &strategy::name);
    operation = match->prepare({device, memory_, *stream_, variant, bytes});
  }

  void run() {
    for (const auto& step : operation.steps) step.run();
  }
  [[nodiscard]] std::map<std::string, double> metrics() const {
    std::map<std::string, double> values;
    for (const auto& [metric, value] : operation.derive({})) values[metric.name] = value;
    return values;
  }
  void synchronize() { stream_->synchronize(); }

  Device device;

 private:
  buffers memory_{device, 7};
  std::unique_ptr<transfers::stream> stream_ = device.create_stream();

 public:
  transfer operation;
};

class bulk_by : public testing::TestWithParam<std::string> {};

TEST_P(bulk_by, is_under_way_while_small_copies_are_counted) {
  constexpr std::size_t needed = 120;
  operations<gated_device> beside("interference/" + GetParam() + "/memcpy", "h2d/4KiB_d2h");
  auto& shared = *beside.device.shared;
  shared.needed = shared.small_copies + needed;
  beside.run();
  EXPECT_EQ(beside.operation.check.compare(), std::nullopt);
  const auto metrics = beside.metrics();
  // The last one opens the gate: the bulk copy may end before it.
  EXPECT_GE(metrics.at("small_copies"), needed - 1);
  EXPECT_LE(metrics.at("outlasting_percent") * metrics.at("small_copies") / 100,
            metrics.at("small_copies") - static_cast<double>(needed - 1));
  EXPECT_GT(metrics.at("small_p99_ns"), 0);
  EXPECT_FALSE(metrics.contains("small_alone_p50_ns")) << "nothing has run alone";
  EXPECT_FALSE(metrics.contains("bulk_loss_percent"));
}

TEST_P(bulk_by, that_fails_is_an_exception_and_nothing_goes_on) {
  operations<transfers::counting_device> beside("interference/" + GetParam() + "/memcpy",
                                                "h2d/4KiB_d2h");
  auto& counts = beside.device.counts();
  for (std::size_t which = 1; which <= 3; ++which) {
    counts.failing_operation = counts.operations + which;
    EXPECT_THROW(beside.run(), transfers::device_error) << which;
    beside.synchronize();
    const std::size_t before = counts.operations;
    beside.synchronize();
    EXPECT_EQ(counts.operations, before + 1) << "a thread still enqueues work";
  }
  beside.run();
  EXPECT_EQ(beside.operation.check.compare(), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(methods, bulk_by, testing::Values("engine", "1MiB_chunks"),
                         [](const auto& instance) { return "by_" + instance.param; });

TEST(small_copies, that_move_nothing_are_wrong_data) {
  operations<gated_device> beside("interference/engine/memcpy", "h2d/4KiB_d2h");
  beside.device.shared->small_copies_are_lost = true;
  beside.run();
  EXPECT_THAT(beside.operation.check.compare().value_or(""),
              HasSubstr("small copy: 4096 bytes differ, the first at offset 0"));
}

TEST(small_copies, alone_are_measured_in_turn) {
  operations<transfers::counting_device> beside("interference/engine/memcpy", "d2h/50KiB_h2d");
  beside.operation.timing.between();
  beside.run();
  const auto metrics = beside.metrics();
  EXPECT_GT(metrics.at("small_alone_p50_ns"), 0);
  EXPECT_GT(metrics.at("bulk_alone_gb_per_s"), 0);
  EXPECT_TRUE(metrics.contains("bulk_loss_percent"));
}

}  // namespace
}  // namespace bench_transfers::bench::interference_strategy_test
