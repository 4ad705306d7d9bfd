#include <gtest/gtest.h>

#include "transfers/core/device.hpp"

namespace transfers::copy_kernel_test {
namespace {

device_description gpu_with(int multiprocessors) {
  cuda_properties cuda;
  cuda.multiprocessors = multiprocessors;
  return {"cuda", "made for a test", cuda};
}

alignas(16) std::byte memory[64];

std::size_t of_aligned(std::size_t bytes) {
  return copy_kernel_multiprocessors(gpu_with(132), memory, memory + 16, bytes);
}

TEST(copy_kernel_multiprocessors, are_as_many_as_blocks_until_there_are_no_more) {
  // A block of 512 threads copies 16 bytes with each.
  EXPECT_EQ(of_aligned(1), 1U);
  EXPECT_EQ(of_aligned(8192), 1U);
  EXPECT_EQ(of_aligned(8192 + 16), 2U);
  EXPECT_EQ(of_aligned(131 * 8192), 131U);
  EXPECT_EQ(of_aligned(std::size_t{1} << 30), 132U);
}

TEST(copy_kernel_multiprocessors, are_more_where_less_is_copied_at_once) {
  const auto of_odd = [](std::size_t to, std::size_t from) {
    return copy_kernel_multiprocessors(gpu_with(132), memory + to, memory + from, 5000);
  };
  EXPECT_EQ(of_odd(0, 16), 1U);
  EXPECT_EQ(of_odd(3, 19), 1U);  // equally far from a multiple of 16
  EXPECT_EQ(of_odd(0, 8), 3U);
  EXPECT_EQ(of_odd(1, 16), 10U);
}

TEST(copy_kernel_multiprocessors, are_no_more_than_wanted) {
  const auto at_most = [](unsigned most_blocks, std::size_t bytes) {
    return copy_kernel_multiprocessors(gpu_with(132), memory, memory + 16, bytes, most_blocks);
  };
  EXPECT_EQ(at_most(8, std::size_t{1} << 30), 8U);
  EXPECT_EQ(at_most(8, 8192), 1U);
  EXPECT_EQ(at_most(200, std::size_t{1} << 30), 132U);
  EXPECT_EQ(at_most(0, std::size_t{1} << 30), 1U);
}

TEST(copy_kernel_multiprocessors, are_none_on_the_host_device) {
  const auto host = open_host_device();
  EXPECT_EQ(copy_kernel_multiprocessors(host->description(), memory, memory, 1 << 20), 0U);
}

}  // namespace
}  // namespace transfers::copy_kernel_test
