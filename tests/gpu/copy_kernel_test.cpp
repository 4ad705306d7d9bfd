#include "bench/strategy/copy_kernel.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/basics.hpp"
#include "tests/gpu/kernels_for_tests.hpp"
#include "transfers/transfers.hpp"

namespace transfers::copy_kernel_test {
namespace {

using bench_transfers::bench::copy_kernel_multiprocessors;

/// Result files report how many multiprocessors the copy kernel occupies. That is right if each of
/// its blocks gets its own multiprocessor until all multiprocessors have a block.
TEST(copy_kernel, spreads_its_blocks_over_all_multiprocessors) {
  const auto cuda = find_cuda();
  if (cuda.devices == 0) GTEST_SKIP() << cuda.why_none;
  const auto gpu = open_cuda_device(0);
  const context context(*gpu);
  const auto all = static_cast<unsigned>(gpu->description().cuda->multiprocessors);
  const auto note = cuda_function("note_multiprocessor", note_multiprocessor_kernel());
  for (const auto blocks : {1U, 2U, 8U, all, 2 * all}) {
    // Numbers of multiprocessors may have gaps where some are disabled.
    std::vector<unsigned> in_use(1024);
    note(context, {.grid = {blocks}, .block = {512}}, in_out(in_use), 200'000LL);
    EXPECT_EQ(std::reduce(in_use.begin(), in_use.end()), std::min(blocks, all))
        << blocks << " blocks";
    // For this number of bytes the copy kernel has `blocks` blocks.
    const auto* const aligned = reinterpret_cast<const std::byte*>(4096);
    EXPECT_EQ(copy_kernel_multiprocessors(gpu->description(), aligned, aligned,
                                          std::size_t{blocks} * 512 * 16),
              std::min(blocks, all));
    // With `blocks` as its limit it has no more, however many bytes it copies.
    EXPECT_EQ(copy_kernel_multiprocessors(gpu->description(), aligned, aligned,
                                          std::size_t{1} << 30, blocks),
              std::min(blocks, all));
  }
}

}  // namespace
}  // namespace transfers::copy_kernel_test
