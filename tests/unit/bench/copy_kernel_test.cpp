#include "bench/strategy/copy_kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "src/transfers/core/copy_kernel.hpp"

namespace bench_transfers::bench::copy_kernel_test {
namespace {

transfers::device_description gpu_with(int multiprocessors) {
  transfers::cuda_properties cuda;
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

TEST(copy_kernel_multiprocessors, have_a_block_of_the_librarys_kernel_each) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2000; ++i) {
    const auto multiprocessors = static_cast<int>(1 + random() % 200);
    const auto* const dst = memory + random() % 32;
    const auto* const src = memory + random() % 32;
    const auto bytes = random() >> (34 + random() % 30);  // up to a GiB
    const auto most =
        i % 2 == 0 ? static_cast<unsigned>(random() % 500) : std::numeric_limits<unsigned>::max();
    const auto shape =
        transfers::detail::shape_of_copy_kernel(dst, src, bytes, multiprocessors, most);
    EXPECT_EQ(copy_kernel_multiprocessors(gpu_with(multiprocessors), dst, src, bytes, most),
              std::min(shape.blocks, static_cast<unsigned>(multiprocessors)))
        << bytes << " bytes, " << multiprocessors << " multiprocessors, " << most << " blocks";
  }
}

TEST(copy_kernel_multiprocessors, are_none_on_the_host_device) {
  const auto host = transfers::open_host_device();
  EXPECT_EQ(copy_kernel_multiprocessors(host->description(), memory, memory, 1 << 20), 0U);
}

}  // namespace
}  // namespace bench_transfers::bench::copy_kernel_test
