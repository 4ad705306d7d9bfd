#include "bench/strategy/heap.hpp"

#include <benchmark/benchmark.h>
#include <gtest/gtest.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <cstdlib>
#include <memory>

namespace bench_transfers::bench::heap_test {
namespace {

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

using block = std::unique_ptr<void, decltype(&std::free)>;

block allocate(std::size_t bytes) {
  block memory(std::malloc(bytes), std::free);
  benchmark::DoNotOptimize(memory.get());  // a compiler may leave out malloc and free
  return memory;
}

/// Exits with the number of blocks that did not come from the system or return to it.
[[noreturn]] void take_and_free_large_blocks() {
  disable_malloc_caching();
  // Freeing 16 MiB raises the threshold unless it is fixed.
  allocate(16 << 20).reset();
  const auto before = mallinfo2().hblks;
  int failures = 0;
  for (const std::size_t bytes : {256 << 10, 1 << 20, 8 << 20}) {
    const auto memory = allocate(bytes);
    if (mallinfo2().hblks != before + 1) ++failures;
  }
  if (mallinfo2().hblks != before) ++failures;
  std::_Exit(failures);
}

TEST(large_blocks, come_from_the_system_also_after_others_have_been_freed) {
  // In its own process, whose heap is free of leftovers of other tests.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(take_and_free_large_blocks(), testing::ExitedWithCode(0), "");
}

#else

TEST(large_blocks, come_from_the_system_also_after_others_have_been_freed) {
  GTEST_SKIP() << "another allocator than glibc's";
}

#endif

}  // namespace
}  // namespace bench_transfers::bench::heap_test
