#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "tests/unit/bench/host_session.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/core/workers.hpp"
#include "transfers/host/host_device.hpp"

namespace bench_transfers::bench::stalls_strategy_test {
namespace {

using testing::IsEmpty;

constexpr std::size_t mib = 1024 * kib;

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
};

TEST_F(stalls, measure_the_allocation_and_the_calls_beside_it) {
  const auto result = run_session();
  EXPECT_THAT(result.failures, IsEmpty());
  EXPECT_THAT(result.skipped, IsEmpty());
  ASSERT_EQ(result.runs.size(), 1U);
  const auto& counters = result.runs.front().counters;
  for (const auto* const name :
       {"allocate_ns", "free_ns", "longest_copy_call_ns", "longest_wait_ns", "longest_query_ns",
        "longest_device_allocation_ns", "calls_made"})
    EXPECT_GT(counters.at(name).value, 0) << name;
}

/// A stream whose copies move nothing.
class idle_stream : public transfers::counting_stream {
 public:
  using counting_stream::counting_stream;
  void copy(std::byte*, const std::byte*, std::size_t, transfers::direction) override {}
};

class idle_device : public transfers::forwarding_device {
 public:
  idle_device() : forwarding_device(transfers::open_host_device()) {}
  [[nodiscard]] std::unique_ptr<transfers::stream> create_stream() override {
    return std::make_unique<idle_stream>(forwarding_device::create_stream(),
                                         std::make_shared<transfers::device_counts>());
  }
};

TEST_F(stalls, fail_if_the_copies_beside_the_allocation_move_nothing) {
  device = std::make_unique<idle_device>();
  const auto result = run_session();
  ASSERT_EQ(result.failures.size(), 1U);
}

}  // namespace
}  // namespace bench_transfers::bench::stalls_strategy_test
