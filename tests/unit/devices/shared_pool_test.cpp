
#include <chrono>
#include <future>
#include <optional>
#include <span>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/devices/test_device.hpp"
#include "transfers/array/create.hpp"
#include "transfers/array/gpu_array.hpp"
#include "transfers/core/pool.hpp"

// The device's own pool: of CUDA on a GPU.

namespace transfers::shared_pool_test {
namespace {

class a_shared_pool : public testing::Test {
 protected:
  void expect_usable(const device_memory& block) {
    const std::vector<std::byte> sent(mib, std::byte{7});
    std::vector<std::byte> received(mib);
    gpu->copy(block.view(), sent);
    gpu->copy(received, block.view());
    EXPECT_EQ(received, sent);
  }

  const std::unique_ptr<device> gpu = open_test_device();

  const std::unique_ptr<stream> first = gpu->create_stream();
  const std::unique_ptr<stream> second = gpu->create_stream();
  device_pool pool{*gpu};
};

TEST_F(a_shared_pool, gives_a_stream_its_freed_block_again) {
  const std::byte* block = pool.allocate(8 * mib, *first).data();
  const auto held = pool.held_bytes();
  EXPECT_GE(held, 8 * mib);
  const auto again = pool.allocate(8 * mib, *first);
  EXPECT_EQ(again.data(), block);
  EXPECT_EQ(pool.held_bytes(), held);
}

TEST_F(a_shared_pool, gives_no_stream_a_block_that_another_still_uses) {
  std::promise<void> let_go;
  // Not for ever, should the device wait for the first stream.
  first->call([free = let_go.get_future().share()] {
    static_cast<void>(free.wait_for(std::chrono::seconds(30)));
  });
  std::vector<int> before(2 * mib);
  std::vector<int> after(2 * mib);
  {
    const auto block = pool.allocate(8 * mib, *first);
    first->fill(block.data(), std::as_bytes(std::span("\1\1\1", 4)), 2 * mib);
    first->copy(after, block.view<int>());
  }  // freed in the order of `first`, whose work has not begun
  const auto other = pool.allocate(8 * mib, *second);
  second->fill(other.data(), std::as_bytes(std::span("\2\2\2", 4)), 2 * mib);
  second->synchronize();
  let_go.set_value();
  first->synchronize();
  second->copy(before, other.view<int>());
  second->synchronize();
  EXPECT_EQ(after, std::vector<int>(2 * mib, 0x00010101));
  EXPECT_EQ(before, std::vector<int>(2 * mib, 0x00020202));
}

TEST_F(a_shared_pool, serves_several_contexts) {
  const context a(*gpu, *first, pool);
  const context b(*gpu, *second, pool);
  const auto ones_of_a = ones<float>(a, {mib});
  const auto twos_of_b = full<float>(b, {mib}, 2);
  EXPECT_GE(pool.held_bytes(), 2 * mib * sizeof(float));
  auto sum = ones_of_a.copy(b);
  sum += twos_of_b;
  EXPECT_EQ(sum.get(), full<float>(a, {mib}, 3).get());
}

TEST_F(a_shared_pool, gives_idle_memory_back) {
  {
    const auto block = pool.allocate(8 * mib, *first);
    EXPECT_FALSE(pool.release());
    EXPECT_GE(pool.held_bytes(), 8 * mib);
  }
  first->synchronize();
  EXPECT_TRUE(pool.release());
  EXPECT_EQ(pool.held_bytes(), 0U);
}

TEST_F(a_shared_pool, may_end_before_its_blocks) {
  std::optional<device_pool> short_lived(*gpu);
  const auto block = short_lived->allocate(mib, *first);
  short_lived.reset();
  expect_usable(block);
}

TEST_F(a_shared_pool, refuses_zero_bytes_and_absurd_sizes) {
  EXPECT_THROW(static_cast<void>(pool.allocate(0, *first)), invalid_argument);
  EXPECT_THROW(static_cast<void>(pool.allocate(std::size_t{1} << 46, *first)), out_of_memory);
  EXPECT_EQ(pool.allocate(mib, *first).size(), mib);  // it still works
}

TEST_F(a_shared_pool, outlives_the_context_through_its_blocks) {
  std::optional<context> short_lived(*gpu);
  const auto block = short_lived->allocate(mib);
  short_lived.reset();  // the block keeps the stream that frees it
  expect_usable(block);
}

}  // namespace
}  // namespace transfers::shared_pool_test
