#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "tests/gpu/kernels_for_tests.hpp"
#include "transfers/transfers.hpp"

namespace transfers {
namespace {

/// Result files say how many multiprocessors the copy kernel occupies: blocks of its size must go
/// to one each until all have one.
TEST(copy_kernel, spreads_its_blocks_over_as_many_multiprocessors_as_there_are) {
  const auto found = find_cuda();
  if (found.devices == 0) GTEST_SKIP() << found.why_none;
  const auto gpu = open_cuda_device(0);
  const context in(*gpu);
  const auto all = static_cast<unsigned>(gpu->description().cuda->multiprocessors);
  const auto note = cuda_function("note_multiprocessor", note_multiprocessor_kernel());
  for (const auto blocks : {1U, 2U, 8U, all, 2 * all}) {
    // Numbers of multiprocessors may have gaps where some are disabled.
    std::vector<unsigned> seen(1024);
    note(in, {.grid = {blocks}, .block = {512}}, in_out(seen), 200'000LL);
    EXPECT_EQ(std::reduce(seen.begin(), seen.end()), std::min(blocks, all)) << blocks << " blocks";
    // The copy kernel has as many blocks for so many bytes.
    const auto* const aligned = reinterpret_cast<const std::byte*>(4096);
    EXPECT_EQ(copy_kernel_multiprocessors(gpu->description(), aligned, aligned,
                                          std::size_t{blocks} * 512 * 16),
              std::min(blocks, all));
    // …and when it is told to have no more, however much there is to copy.
    EXPECT_EQ(copy_kernel_multiprocessors(gpu->description(), aligned, aligned,
                                          std::size_t{1} << 30, blocks),
              std::min(blocks, all));
  }
}

}  // namespace
}  // namespace transfers
