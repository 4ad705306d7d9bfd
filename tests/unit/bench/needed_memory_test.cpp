#include "bench/harness/needed_memory.hpp"

#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/bench/test_strategy.hpp"

namespace bench_transfers::bench::needed_memory_test {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

benchmark_case of_size(std::size_t bytes, const strategy& measured) {
  benchmark_case planned;
  planned.measured = &measured;
  planned.size_bytes = bytes;
  return planned;
}

TEST(needed_memory, is_that_of_the_largest_benchmark_in_each_block) {
  const auto pageable = test_strategy("a", {}, {.host = transfers::pageable});
  const auto pinned = test_strategy("b", {}, {.host = transfers::pinned(), .host_payloads = 2});
  const std::vector planned{of_size(mib, pageable), of_size(2 * mib, pageable),
                            of_size(mib, pinned)};
  const auto two = buffers::distance(mib) + mib;
  const needed_memory beside_gpu(planned, 1, false);
  EXPECT_EQ(beside_gpu.total(), 2 * mib + two);
  EXPECT_EQ(beside_gpu.kinds(), 2U);
  EXPECT_EQ(needed_memory(planned, 1, true).total(), 2 * mib + two + 2 * mib);
  EXPECT_TRUE(beside_gpu.is_largest(planned[2]));
  EXPECT_FALSE(beside_gpu.is_largest(planned[1]));
}

TEST(needed_memory, has_what_operations_allocate_if_that_is_more) {
  const auto user = test_strategy("a", {}, {.host = transfers::pageable});
  const auto taker = test_strategy(
      "b", {}, {.more_host_memory = 3, .more_device_memory = 1, .fixed_host_memory = 5});
  const std::vector planned{of_size(mib, user), of_size(mib, taker)};
  const needed_memory beside_gpu(planned, 1, false);
  EXPECT_EQ(beside_gpu.total(), mib + 3 * mib + 5);
  EXPECT_TRUE(beside_gpu.is_largest(planned[1]));
  EXPECT_FALSE(beside_gpu.is_largest(planned[0]));
  EXPECT_EQ(needed_memory(planned, 1, true).total(), 2 * mib + 4 * mib + 5);
}

TEST(needed_memory, of_a_staged_copier_covers_its_chunks_and_test_copies) {
  const auto staged = test_strategy("a", {}, {.staged_copier = true});
  const std::vector planned{of_size(4, staged)};
  EXPECT_EQ(needed_memory(planned, 1, false).total(), (64 + 256) * mib);
  EXPECT_EQ(needed_memory(planned, 1, true).total(), (64 + 256 + 256) * mib);
}

TEST(needed_memory, is_none_where_nothing_is_planned) {
  EXPECT_EQ(needed_memory({}, 2, true).total(), 0U);
}

}  // namespace
}  // namespace bench_transfers::bench::needed_memory_test
