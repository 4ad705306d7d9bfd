#include "src/statistics/rank_test.hpp"

#include <gtest/gtest.h>

#include <random>
#include <stdexcept>

namespace bench_transfers::statistics::rank_test_test {
namespace {

TEST(rank_test, counts_the_ways_to_split) {
  // Three of six: 20 ways, of which one has the three highest.
  EXPECT_DOUBLE_EQ(rank_test({1, 2, 3}, {4, 5, 6}), 1.0 / 20);
  EXPECT_DOUBLE_EQ(rank_test({1, 2, 4}, {3, 5, 6}), 2.0 / 20);
  EXPECT_DOUBLE_EQ(rank_test({4, 5, 6}, {1, 2, 3}), 1);
  EXPECT_DOUBLE_EQ(rank_test({1, 2, 3, 4, 5, 6, 7, 8}, {9, 10, 11, 12, 13, 14, 15, 16}),
                   1.0 / 12870);
}

TEST(rank_test, takes_equal_values_for_equal) {
  EXPECT_DOUBLE_EQ(rank_test({1, 1}, {1, 1}), 1);
  // Values 1 2 2 3 with ranks 1 2.5 2.5 4: {2, 3} has 6.5, as two of the six choices do.
  EXPECT_DOUBLE_EQ(rank_test({1, 2}, {2, 3}), 2.0 / 6);
}

TEST(rank_test, is_right_as_often_as_it_says) {
  std::mt19937_64 random(5);
  int low = 0;
  constexpr int trials = 4000;
  for (int i = 0; i < trials; ++i) {
    std::vector<double> before(5);
    std::vector<double> after(5);
    for (auto* values : {&before, &after})
      for (auto& value : *values) value = std::exponential_distribution<double>()(random);
    low += rank_test(before, after) <= 0.05;
  }
  // Ranks allow 12 of 252 ways below 0.05.
  EXPECT_NEAR(low / static_cast<double>(trials), 12.0 / 252, 0.012);
}

TEST(rank_test, needs_both_sides) {
  EXPECT_THROW(rank_test({}, {1}), std::invalid_argument);
  EXPECT_THROW(rank_test({1}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace bench_transfers::statistics::rank_test_test
