#include "bench/strategy/buffers.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "bench/verification/pattern.hpp"

namespace bench_transfers::bench::buffers_test {
namespace {

using transfers::pageable;

class buffers_of_host : public testing::Test {
 protected:
  std::unique_ptr<transfers::device> device = transfers::open_host_device();
  buffers memory{*device, 77};
};

TEST_F(buffers_of_host, have_nothing_that_was_not_reserved) {
  EXPECT_THROW(static_cast<void>(memory.host(pageable)), std::logic_error);
  EXPECT_THROW(static_cast<void>(memory.on_device()), std::logic_error);
  EXPECT_TRUE(memory.all_host().empty());
}

TEST_F(buffers_of_host, hold_the_pattern_up_to_the_end_of_the_guard) {
  memory.reserve_host(pageable, 1001);
  memory.reserve_device(3001);
  const auto& host = memory.host(pageable);
  ASSERT_EQ(host.size(), 1001 + buffers::guard);
  EXPECT_EQ(check_host_pattern(host.data(), 0, host.size(), {77, false}).wrong_bytes, 0U);
  const auto& device_block = memory.on_device();
  ASSERT_EQ(device_block.size(), 3001 + buffers::guard);
  EXPECT_EQ(
      check_pattern(*device, device_block.data(), 0, device_block.size(), {77, false}).wrong_bytes,
      0U);
}

TEST_F(buffers_of_host, are_one_block_per_kind) {
  memory.reserve_host(pageable, 100);
  memory.reserve_host(transfers::pinned(), 100);
  memory.reserve_host(pageable, 300);
  EXPECT_EQ(memory.all_host().size(), 2U);
  EXPECT_EQ(memory.host(pageable).size(), 300 + buffers::guard);
  EXPECT_EQ(memory.host(transfers::pinned()).kind(), transfers::pinned());
}

TEST_F(buffers_of_host, know_the_pattern_of_their_seed) {
  EXPECT_EQ(memory.pattern().seed, 77U);
  EXPECT_FALSE(memory.pattern().inverted);
  EXPECT_TRUE(memory.pattern(true).inverted);
}

}  // namespace
}  // namespace bench_transfers::bench::buffers_test
