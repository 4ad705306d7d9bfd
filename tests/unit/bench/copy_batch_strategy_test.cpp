
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>

#include "tests/basics.hpp"
#include "tests/unit/bench/host_session.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::copy_batch_strategy_test {
namespace {

TEST_F(host_session, batched_copies_are_described_by_order_memory_and_direction) {
  chosen.strategies = {"copy_batch"};
  chosen.sizes = {4 * kib};
  const auto all = make_plan(strategies, *device, chosen);
  EXPECT_THAT(all.skipped, IsEmpty());
  for (const auto& described : all.cases) {
    EXPECT_EQ(described.role, "batched_copy");
    EXPECT_EQ(described.strategy,
              "copy_batch/" + described.memory.value_or("") + "/" + described.setting.value_or(""));
    EXPECT_EQ(described.variant, to_string(described.direction));
  }
}

TEST_F(host_session, batched_copies_tell_when_the_call_returns) {
  chosen.strategies = {"copy_batch"};
  EXPECT_THAT(run_session().failures, IsEmpty());
  EXPECT_EQ(left_wrong, 0U);
  for (const auto& row : rows.content().at("benchmarks")) {
    SCOPED_TRACE(row.dump());
    EXPECT_GT(row.at("enqueue_ns"), 0);
    EXPECT_TRUE(row.contains("wait_ns"));
    EXPECT_GT(row.at("gb_per_s"), 0);
  }
}

/// The first step of one order's copy, on a device whose work takes a while.
class order_of_access : public testing::Test {
 protected:
  /// Returns whether all work was done when the call returned.
  bool call(const std::string& order) {
    const auto operation = find_strategy("copy_batch/pinned/" + order)
                               .prepare({on_, memory_, *stream_, "h2d", 4 * kib});
    operation.steps.at(0).run();
    const bool was_idle = on_.counts().idle();
    operation.steps.at(1).run();
    EXPECT_TRUE(on_.counts().idle());
    return was_idle;
  }

  transfers::counting_device on_;
  buffers memory_{on_, 7};
  std::unique_ptr<transfers::stream> stream_ = on_.create_stream();

  order_of_access() {
    memory_.reserve_host(transfers::pinned(), 4 * kib);
    memory_.reserve_device(4 * kib);
    on_.counts().slowed_by = 2ms;
  }
};

TEST_F(order_of_access, during_the_call_means_that_the_source_has_been_read_when_it_returns) {
  EXPECT_TRUE(call("during_api_call"));
}

TEST_F(order_of_access, that_is_none_leaves_one_copy_to_the_stream) {
  for (const auto* const order : {"stream", "any"}) {
    const std::size_t enqueued = on_.counts().enqueued;
    static_cast<void>(call(order));
    EXPECT_EQ(on_.counts().enqueued, enqueued + 1) << order;
  }
}

TEST_F(order_of_access, that_fails_is_an_exception) {
  for (const auto* const order : {"stream", "during_api_call", "any"}) {
    on_.counts().failing_operation = on_.counts().operations + 1;
    EXPECT_THROW(static_cast<void>(call(order)), transfers::device_error) << order;
  }
}

}  // namespace
}  // namespace bench_transfers::bench::copy_batch_strategy_test
