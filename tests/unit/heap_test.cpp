#include "heap.hpp"

#include <benchmark/benchmark.h>
#include <gtest/gtest.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <cstdlib>
#include <memory>

namespace bench {
namespace {

TEST(large_blocks, come_from_the_system_also_after_others_have_been_freed) {
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  take_large_blocks_from_the_system();
  using block = std::unique_ptr<void, decltype(&std::free)>;
  const auto taken_from_heap = [](std::size_t bytes) {
    block taken(std::malloc(bytes), std::free);
    benchmark::DoNotOptimize(taken.get());  // a compiler may leave out malloc and free
    return taken;
  };
  // Freeing 16 MiB raises the threshold where it is not fixed.
  taken_from_heap(16 << 20).reset();
  const auto before = mallinfo2().hblks;
  for (const std::size_t bytes : {256 << 10, 1 << 20, 8 << 20}) {
    const auto taken = taken_from_heap(bytes);
    EXPECT_EQ(mallinfo2().hblks, before + 1) << bytes;
  }
  EXPECT_EQ(mallinfo2().hblks, before);
#else
  GTEST_SKIP() << "another allocator than glibc's";
#endif
}

}  // namespace
}  // namespace bench
