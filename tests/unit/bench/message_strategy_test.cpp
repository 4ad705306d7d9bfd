#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "bench/strategy/strategy.hpp"
#include "tests/unit/bench/test_strategy.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::message_strategy_test {
namespace {

/// A message by copies, on a device that counts.
class message_by : public testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] transfer prepare() {
    return find_strategy("message/" + GetParam()).prepare({on_, memory_, *stream_, "", 0});
  }

  transfers::counting_device on_;
  buffers memory_{on_, 7};
  std::unique_ptr<transfers::stream> stream_ = on_.create_stream();
};

TEST_P(message_by, is_two_copies_and_one_wait) {
  const auto message = prepare();
  for (int again = 0; again < 3; ++again) {
    const std::size_t enqueued = on_.counts().enqueued;
    const std::size_t operations = on_.counts().operations;
    run_steps(message);
    EXPECT_EQ(on_.counts().enqueued - enqueued, 2U);
    EXPECT_EQ(on_.counts().operations - operations, 3U);  // the wait is one of them
    EXPECT_EQ(on_.counts().finished, on_.counts().enqueued);
  }
  EXPECT_EQ(message.check.compare(), std::nullopt);
}

TEST_P(message_by, that_fails_is_an_exception) {
  const auto message = prepare();
  for (std::size_t which = 1; which <= 3; ++which) {
    on_.counts().failing_operation = on_.counts().operations + which;
    EXPECT_THROW(run_steps(message), transfers::device_error) << which;
    stream_->synchronize();
  }
  run_steps(message);
  EXPECT_EQ(message.check.compare(), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(copies, message_by, testing::Values("memcpy", "graph"),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace bench_transfers::bench::message_strategy_test
