
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "tests/basics.hpp"
#include "tests/unit/bench/host_session.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/core/workers.hpp"

namespace bench_transfers::bench::stalls_strategy_test {
namespace {

constexpr auto all_longest = {"longest_copy_ns",
                              "longest_launch_ns",
                              "longest_query_ns",
                              "longest_device_allocation_ns",
                              "longest_pool_allocation_ns",
                              "longest_memory_query_ns"};

/// Allocates large blocks of host memory slowly.
class slow_device : public transfers::forwarding_device {
 public:
  [[nodiscard]] transfers::host_memory allocate_host(std::size_t bytes,
                                                     transfers::host_memory_kind kind) override {
    if (bytes == 2 * mib) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return forwarding_device::allocate_host(bytes, kind);
  }
};

class stalls : public host_session {
 protected:
  stalls() {
    chosen.strategies = {"stalls/registered_huge"};
    chosen.sizes = {2 * mib};
    chosen.own_sizes = true;
    chosen.rounds = 1;
  }
  void SetUp() override {
    if (transfers::usable_processors() < 2) GTEST_SKIP() << "there is one processor only";
    const auto reason = device->why_unsupported(transfers::registered_huge);
    if (reason) GTEST_SKIP() << *reason;
  }
  nlohmann::ordered_json measure() {
    const auto result = run_session();
    EXPECT_THAT(result.failures, IsEmpty());
    EXPECT_THAT(result.skipped, IsEmpty());
    EXPECT_EQ(result.runs.size(), 1U);
    return rows.content().at("benchmarks").back();
  }
};

TEST_F(stalls, tell_the_longest_of_each_kind_of_call_that_was_due_meanwhile) {
  device = std::make_unique<slow_device>();
  const auto row = measure();
  SCOPED_TRACE(row.dump());
  for (const auto* const name : all_longest) EXPECT_GT(row.at(name), 0) << name;
  EXPECT_GE(row.at("calls_made"), 6 * 20);
  EXPECT_GT(row.at("allocate_ns"), 200e6);
  EXPECT_EQ(row.at("procedure"), 2);
}

TEST_F(stalls, of_which_few_calls_were_due_tell_no_longest) {
  for (const auto* const name : {"stalls/pageable_huge", "stalls/registered_huge"}) {
    chosen.strategies = {name};
    const auto row = measure();
    // On a busy machine, an allocation may take long enough.
    if (row.at("calls_made") >= 20) continue;
    for (const auto* const metric : all_longest) EXPECT_FALSE(row.contains(metric)) << metric;
  }
}

TEST_F(stalls, in_pieces_allocate_as_much_in_all) {
  for (const auto* const name :
       {"stalls/16_pieces/registered_huge", "stalls/16_pieces_with_pauses/registered_huge"}) {
    chosen.strategies = {name};
    const auto row = measure();
    EXPECT_EQ(row.at("bytes"), 2 * mib);
    const bool has_pauses = std::string(name).find("pauses") != std::string::npos;
    if (has_pauses) {
      EXPECT_GT(row.at("allocate_ns"), 15e6);
    }
  }
}

TEST_F(stalls, fail_if_the_copies_beside_the_allocation_move_nothing) {
  device = std::make_unique<transfers::device_with<transfers::idle_stream>>();
  const auto result = run_session();
  ASSERT_EQ(result.failures.size(), 1U);
}

}  // namespace
}  // namespace bench_transfers::bench::stalls_strategy_test
