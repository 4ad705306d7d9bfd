
#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "bench/harness/verify.hpp"
#include "bench/strategies/small_copies.hpp"
#include "tests/basics.hpp"
#include "tests/unit/bench/host_session.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/core/error.hpp"
#include "transfers/core/workers.hpp"
#include "transfers/host/host_device.hpp"

namespace bench_transfers::bench::interference_strategy_test {
namespace {

class interference_session : public host_session {
 protected:
  explicit interference_session(double rate = 1e9) : link_rate(rate) {
    chosen.strategies = {"interference"};
    chosen.sizes = {16 * mib};
    chosen.own_sizes = true;
    chosen.rounds = 1;
    transfers::link_description slow;
    slow.h2d_bytes_per_second = slow.d2h_bytes_per_second = link_rate;
    device =
        transfers::open_host_device({.link = std::make_shared<transfers::emulated_link>(slow)});
  }
  void SetUp() override {
    if (transfers::usable_processors() < 2) GTEST_SKIP() << "there is one processor only";
  }

  const double link_rate;  ///< bytes per second
};

/// For more than one session in a test.
class session_on_link final : public interference_session {
 public:
  explicit session_on_link(double rate) : interference_session(rate) {
    chosen.strategies = {"interference/kernel/memcpy/h2d/4KiB_d2h",
                         "interference/1MiB_chunks/kernel/d2h/50KiB_h2d",
                         "interference/idle/memcpy/4KiB_d2h"};
  }
  void TestBody() override {}

  using host_session::left_wrong;
  using host_session::rows;
  using host_session::run_session;
  using interference_session::link_rate;
};

/// On a busy machine, bulk copies over a fast link end before a small one can begin.
std::unique_ptr<session_on_link> session_whose_bulk_copies_last() {
  for (const double rate : {1e9, 1e8, 1e7}) {
    auto session = std::make_unique<session_on_link>(rate);
    if (session->run_session().failures.empty()) return session;
  }
  return nullptr;
}

TEST_F(interference_session, describes_what_is_timed_and_what_it_is_beside) {
  const auto all = make_plan(strategies, *device, chosen);
  EXPECT_THAT(all.skipped, IsEmpty());
  for (const auto& described : all.cases) {
    const bool is_prompt = described.name.find("/prompt/") != std::string::npos;
    EXPECT_EQ(described.memory, is_prompt ? "pageable" : "pinned_mapped");
    EXPECT_EQ(described.role, "interference");
    if (described.name == "interference/4MiB_chunks/kernel/d2h/50KiB_h2d/16MiB") {
      EXPECT_EQ(described.direction, result_file::direction::h2d) << "of what is timed";
      EXPECT_EQ(described.setting, "50KiB_by_kernel_beside_d2h");
    }
  }
}

TEST_F(interference_session, tells_percentiles_and_what_the_bulk_copy_loses) {
  const auto session = session_whose_bulk_copies_last();
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(session->left_wrong, 0U);
  for (const auto& row : session->rows.content().at("benchmarks")) {
    SCOPED_TRACE(row.dump());
    const bool is_of_4_kib = row.at("name").get<std::string>().find("/4KiB_") != std::string::npos;
    EXPECT_EQ(row.at("bytes"), (is_of_4_kib ? 4 : 50) * kib) << "of the small copy";
    EXPECT_GE(row.at("operations"), 500);
    EXPECT_EQ(row.at("small_p99_ns"), row.at("p99_ns"));
    EXPECT_LE(row.at("small_call_p99_ns"), row.at("small_p99_ns"))
        << "calls begin when due or later";
    const bool is_beside = row.at("name").get<std::string>().find("/idle/") == std::string::npos;
    ASSERT_EQ(row.contains("bulk_loss_percent"), is_beside);
    if (!is_beside) continue;
    const auto bulk_rate = row.at("bulk_gb_per_s").get<double>();
    const auto rate_alone = row.at("bulk_alone_gb_per_s").get<double>();
    EXPECT_LE(rate_alone, 1.001 * session->link_rate / 1e9) << "faster than the link";
    EXPECT_NEAR(row.at("bulk_loss_percent").get<double>(), 100 * (1 - bulk_rate / rate_alone),
                1e-4);
    EXPECT_GE(row.at("bulk_copies"), 1);
    EXPECT_GT(row.at("small_gb_per_s"), 0);
  }
}

TEST_F(interference_session, detects_injected_faults_of_each_kind) {
  chosen.strategies = {"interference/engine/memcpy/h2d/4KiB_h2d",
                       "interference/kernel/kernel/d2h/50KiB_d2h",
                       "interference/idle/kernel/4KiB_h2d"};
  chosen.faults = {parse_fault("corrupt@.")};
  const auto failed = by_name(run_session().failures);
  EXPECT_THAT(failed, SizeIs(chosen.strategies.size()));
  for (const auto& [name, reason] : failed) EXPECT_THAT(reason, HasSubstr("small copies: "));
  EXPECT_EQ(left_wrong, 0U);
}

/// What happens to the copies of a moving_device: of a MiB and more (bulk), and of less (small).
struct fate {
  std::atomic<std::size_t> small_copies = 0;
  std::atomic<std::size_t> needed = 0;  ///< before this many small copies no bulk copy ends
  /// The small copy, counted from 1, that moves nothing; nor do the others of the same memory,
  /// which would hide it.
  std::atomic<std::size_t> lost_small = 0;
  std::atomic<bool> bulk_is_lost = false;  ///< the last part of a bulk copy moves nothing
  /// Beside a bulk copy, in their order, in which so many are wanted: it ends when they are there,
  /// or after a time in which they would have come.
  std::vector<std::size_t> wanted, seen;
};

class fated_stream : public transfers::counting_stream {
 public:
  fated_stream(std::unique_ptr<transfers::stream> inner,
               std::shared_ptr<transfers::device_counts> counts, std::shared_ptr<fate> shared)
      : counting_stream(std::move(inner), std::move(counts)), fate_(std::move(shared)) {}

  void copy(std::byte* dst, const std::byte* src, std::size_t bytes,
            transfers::direction direction) override {
    meet_fate(bytes, [&](std::size_t moved) { counting_stream::copy(dst, src, moved, direction); });
  }
  void copy_by_kernel(std::byte* dst, const std::byte* src, std::size_t bytes,
                      unsigned most_blocks) override {
    meet_fate(bytes, [&](std::size_t moved) {
      counting_stream::copy_by_kernel(dst, src, moved, most_blocks);
    });
  }

 private:
  template <class Move>
  void meet_fate(std::size_t bytes, Move&& move) {
    if (bytes >= mib) {
      call([shared = fate_] {
        while (shared->small_copies < shared->needed) std::this_thread::yield();
        if (shared->seen.size() < shared->wanted.size()) wait_for_wanted(*shared);
      });
      return move(fate_->bulk_is_lost ? bytes - 1 : bytes);
    }
    if (!is_lost(++enqueued_)) move(bytes);
    call([shared = fate_] { ++shared->small_copies; });
  }

  [[nodiscard]] bool is_lost(std::size_t copy) const {
    const std::size_t first = fate_->lost_small;
    return first > 0 && copy >= first && (copy - first) % small_copies::places == 0;
  }

  static void wait_for_wanted(fate& shared) {
    const std::size_t before = shared.small_copies;
    const auto count = [&] { return shared.small_copies - before; };
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (count() < shared.wanted[shared.seen.size()] && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
    shared.seen.push_back(count());
  }

  std::shared_ptr<fate> fate_;
  std::size_t enqueued_ = 0;
};

class fated_device : public transfers::forwarding_device {
 public:
  [[nodiscard]] std::unique_ptr<transfers::stream> create_stream() override {
    return std::make_unique<fated_stream>(forwarding_device::create_stream(), counts, shared);
  }

  std::shared_ptr<transfers::device_counts> counts = std::make_shared<transfers::device_counts>();
  std::shared_ptr<fate> shared = std::make_shared<fate>();
};

/// A benchmark, measured as the session does it, with as many operations as a test wants.
template <class Device>
class measured {
 public:
  measured(const std::string& strategy_name, const std::string& variant_name)
      : strategy_(strategy_name), variant_(variant_name) {
    memory.reserve_host(transfers::pinned(transfers::pin_flags::mapped), bytes);
    memory.reserve_device(bytes);
  }

  void prepare() {
    operation = find_strategy(strategy_).prepare({device, memory, *stream_, variant_, bytes});
    if (operation.destination) poison(device, memory, *operation.destination);
  }
  void run(std::size_t operations) {
    const auto conditions = operation.timing.conditions();
    for (std::size_t i = 0; i < operations; ++i) {
      operation.timing.between();
      run_steps(operation);
    }
  }
  [[nodiscard]] std::map<std::string, double> metrics() const {
    std::map<std::string, double> values;
    for (const auto& [metric, value] : operation.derive({})) values[metric.name] = value;
    return values;
  }
  void synchronize() { stream_->synchronize(); }

  static constexpr std::size_t bytes = 2 * mib + mib / 2;
  Device device;
  buffers memory{device, 7};

 private:
  std::string strategy_, variant_;
  std::unique_ptr<transfers::stream> stream_ = device.create_stream();

 public:
  transfer operation;
};

/// The method of the bulk copy, that of the small copies, and the directions of both.
using kinds = std::tuple<std::string, std::string, std::string, std::string>;

class beside_bulk : public testing::TestWithParam<kinds> {
 protected:
  void SetUp() override {
    if (transfers::usable_processors() < 2) GTEST_SKIP() << "there is one processor only";
  }
  static std::string strategy_name() {
    const auto& [bulk, small, bulk_direction, small_direction] = GetParam();
    return "interference/" + bulk + "/" + small;
  }
  static std::string variant_name() {
    const auto& [bulk, small, bulk_direction, small_direction] = GetParam();
    return bulk_direction + "/4KiB_" + small_direction;
  }

  measured<fated_device> benchmark{strategy_name(), variant_name()};
  fate& shared = *benchmark.device.shared;

  /// Runs small copies, all of them beside one bulk copy.
  void run_beside_one_bulk_copy(std::size_t operations) {
    shared.needed = shared.small_copies + operations;
    benchmark.run(operations);
  }
};

TEST_P(beside_bulk, all_copies_are_verified_and_the_bulk_copy_is_under_way) {
  benchmark.prepare();
  constexpr std::size_t copies = 20;
  run_beside_one_bulk_copy(copies);
  EXPECT_GE(shared.small_copies, shared.needed);
  EXPECT_EQ(benchmark.operation.check.compare(), std::nullopt);
  const auto metrics = benchmark.metrics();
  EXPECT_EQ(metrics.at("bulk_copies"), 1) << "a small copy began while no bulk copy was under way";
  EXPECT_GT(metrics.at("bulk_gb_per_s"), 0);
  EXPECT_GT(metrics.at("bulk_alone_gb_per_s"), 0);
}

TEST_P(beside_bulk, the_loss_is_that_to_small_copies_one_after_another_until_the_bulk_copy_ends) {
  // Of each bulk copy, the first part of a MiB and more waits for small copies.
  const std::size_t parts = std::get<0>(GetParam()) == "1MiB_chunks" ? 2 : 1;
  // Verified alone; then in turn alone and with small copies.
  for (const std::size_t count : {0, 0, 40, 0, 40, 0, 40}) {
    shared.wanted.push_back(count);
    shared.wanted.resize((shared.wanted.size() + parts - 1) / parts * parts);
  }
  benchmark.prepare();
  ASSERT_THAT(shared.seen, SizeIs(shared.wanted.size()));
  for (std::size_t i = 0; i < shared.wanted.size(); i += parts)
    if (shared.wanted[i] == 0) {
      EXPECT_EQ(shared.seen[i], 0) << "a small copy beside the bulk copy alone, part " << i;
    } else {
      EXPECT_GE(shared.seen[i], shared.wanted[i])
          << "small copies beside the bulk copy, part " << i;
    }
  const auto metrics = benchmark.metrics();
  EXPECT_EQ(metrics.at("bulk_copies"), 0) << "none for times";
  EXPECT_GT(metrics.at("bulk_gb_per_s"), 0);
  EXPECT_GT(metrics.at("small_gb_per_s"), 0);
}

TEST_P(beside_bulk, a_small_copy_that_moves_nothing_while_the_loss_is_measured_is_wrong_data) {
  shared.lost_small = 2;  // the first after the one that loads a kernel
  benchmark.prepare();
  EXPECT_THAT(benchmark.operation.check.compare().value_or(""), HasSubstr("4096 bytes differ"));
}

TEST_P(beside_bulk, a_bulk_copy_that_loses_a_byte_is_wrong_data) {
  benchmark.prepare();  // alone, it moves all
  shared.bulk_is_lost = true;
  run_beside_one_bulk_copy(1);
  EXPECT_THAT(benchmark.operation.check.compare().value_or(""), StartsWith("bulk copy: "));
}

TEST_P(beside_bulk, a_bulk_copy_alone_that_loses_a_byte_is_wrong_data) {
  shared.bulk_is_lost = true;
  benchmark.prepare();
  shared.bulk_is_lost = false;
  run_beside_one_bulk_copy(1);
  EXPECT_THAT(benchmark.operation.check.compare().value_or(""), HasSubstr("bulk copy alone: "));
}

TEST_P(beside_bulk, one_small_copy_of_many_that_moves_nothing_is_wrong_data) {
  benchmark.prepare();
  shared.lost_small = shared.small_copies + 5;
  run_beside_one_bulk_copy(20);
  EXPECT_THAT(benchmark.operation.check.compare().value_or(""),
              MatchesRegex("small copies: 4096 bytes differ, the first at offset 0 of "
                           "copy [0-9]+"));
}

std::string name_of(const testing::TestParamInfo<kinds>& instance) {
  const auto& [bulk, small, bulk_direction, small_direction] = instance.param;
  return bulk + "_" + bulk_direction + "_small_" + small + "_" + small_direction;
}

INSTANTIATE_TEST_SUITE_P(methods, beside_bulk,
                         testing::Combine(testing::Values("engine", "4MiB_chunks", "1MiB_chunks",
                                                          "32MiB_chunks_and_kernels", "kernel",
                                                          "polite", "polite_to_both"),
                                          testing::Values("memcpy", "kernel"),
                                          testing::Values("h2d", "d2h"),
                                          testing::Values("h2d", "d2h")),
                         name_of);

TEST(beside_no_bulk_copy, a_small_copy_that_moves_nothing_is_wrong_data) {
  for (const auto* const method : {"memcpy", "kernel"}) {
    measured<fated_device> benchmark("interference/idle/" + std::string(method), "50KiB_d2h");
    auto& shared = *benchmark.device.shared;
    benchmark.prepare();
    benchmark.run(small_copies::places + 2);
    EXPECT_EQ(benchmark.operation.check.compare(), std::nullopt);
    // Of more copies than have memory of their own.
    shared.lost_small = shared.small_copies + 3;
    benchmark.run(small_copies::places + 2);
    EXPECT_THAT(benchmark.operation.check.compare().value_or(""), HasSubstr("51200 bytes differ"));
    EXPECT_FALSE(benchmark.metrics().contains("bulk_gb_per_s"));
  }
}

class failing_bulk : public testing::TestWithParam<const char*> {};

TEST_P(failing_bulk, copy_is_an_exception_and_nothing_goes_on) {
  measured<transfers::counting_device> benchmark(
      "interference/" + std::string(GetParam()) + "/memcpy", "h2d/4KiB_d2h");
  auto& counts = benchmark.device.counts();
  for (std::size_t which = 1; which <= 4; ++which) {
    benchmark.prepare();
    counts.failing_operation = counts.operations + which;
    EXPECT_THROW(
        {
          benchmark.run(1);
          static_cast<void>(benchmark.operation.check.compare());
        },
        transfers::device_error)
        << which;
    const std::size_t before = counts.operations;
    benchmark.synchronize();
    EXPECT_EQ(counts.operations, before + 1) << "a thread still enqueues work";
    EXPECT_TRUE(counts.idle());
  }
}

TEST_P(failing_bulk, copy_without_times_is_an_exception_and_nothing_goes_on) {
  measured<transfers::counting_device> benchmark(
      "interference/" + std::string(GetParam()) + "/memcpy", "h2d/4KiB_d2h");
  auto& counts = benchmark.device.counts();
  // Both copies are prepared, the bulk copy is verified, and then made alone and beside small ones.
  constexpr std::size_t least_operations = 30;
  for (std::size_t which = 1; which <= least_operations; ++which) {
    counts.failing_operation = counts.operations + which;
    EXPECT_THROW(benchmark.prepare(), transfers::device_error) << which;
    const std::size_t after = counts.operations;
    benchmark.synchronize();
    EXPECT_EQ(counts.operations, after + 1) << "a thread still enqueues work";
    EXPECT_TRUE(counts.idle());
  }
}

INSTANTIATE_TEST_SUITE_P(methods, failing_bulk,
                         testing::Values("engine", "1MiB_chunks", "kernel", "polite"),
                         [](const auto& instance) { return "by_" + std::string(instance.param); });

}  // namespace
}  // namespace bench_transfers::bench::interference_strategy_test
