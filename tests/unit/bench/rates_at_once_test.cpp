#include "bench/cpu/rates_at_once.hpp"

#include <numeric>

#include "tests/basics.hpp"

namespace bench_transfers::bench::cpu {
namespace {

/// Marks at these nanoseconds.
turn_marks at(std::initializer_list<int> times) {
  turn_marks marks;
  for (const int time : times)
    marks.emplace_back(std::chrono::duration_cast<std::chrono::steady_clock::duration>(
        std::chrono::nanoseconds(time)));
  return marks;
}

TEST(rates_at_once, are_those_of_equal_threads) {
  EXPECT_THAT(rates_at_once(std::vector{at({0, 100, 200}), at({0, 100, 200})}),
              ElementsAre(DoubleEq(0.01), DoubleEq(0.01)));
}

TEST(rates_at_once, of_a_slow_thread_lower_the_sum_by_its_own_part_alone) {
  // Fixed work would be four turns in 400 ns, as if all were as slow.
  const auto slow = at({0, 400});
  const auto fast = at({0, 100, 200, 300, 400});
  const auto rates = rates_at_once(std::vector{fast, fast, fast, slow});
  EXPECT_THAT(rates, ElementsAre(DoubleEq(0.01), DoubleEq(0.01), DoubleEq(0.01), DoubleEq(0.0025)));
  EXPECT_DOUBLE_EQ(std::reduce(rates.begin(), rates.end()), 0.0325);
}

TEST(rates_at_once, count_turns_by_the_part_that_lies_in_the_common_time) {
  // All are busy from 50 to 250. The first thread is faster after that time, which does not count.
  const auto rates = rates_at_once(std::vector{at({0, 100, 200, 300, 310}), at({50, 150, 250})});
  EXPECT_THAT(rates, ElementsAre(DoubleEq(0.01), DoubleEq(0.01)));
}

TEST(rates_at_once, of_single_turns_are_those_of_the_turns) {
  // With cold caches, one may end before another one begins.
  EXPECT_THAT(rates_at_once(std::vector{at({0, 100}), at({150, 200})}),
              ElementsAre(DoubleEq(0.01), DoubleEq(0.02)));
  // The first thread may have been interrupted before it saw that the second one had ended.
  EXPECT_THAT(rates_at_once(std::vector{at({0, 100, 200}), at({210, 260})}),
              ElementsAre(DoubleEq(0.01), DoubleEq(0.02)));
}

}  // namespace
}  // namespace bench_transfers::bench::cpu
