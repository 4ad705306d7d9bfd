#include "src/statistics/modes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace bench_transfers::statistics::modes_test {
namespace {

TEST(modes, are_told_with_the_median_and_the_size_of_each) {
  // Bandwidths of all cores of an H200's host, in µs: two of eight rounds were four times as fast.
  const auto found = two_modes_of({308, 435, 1558, 1566, 1618, 1625, 1671, 1726});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->low, (mode{371.5, 2}));
  EXPECT_EQ(found->high, (mode{1621.5, 6}));
}

TEST(modes, do_not_depend_on_the_order_or_the_unit) {
  const auto first = two_modes_of({6.1, 7.1, 6.0, 7.2, 6.1, 7.0, 6.0, 7.1, 6.1});
  const auto second = two_modes_of({7.2e3, 7.1e3, 6.0e3, 6.1e3, 6.1e3, 7.1e3, 6.0e3, 7.0e3, 6.1e3});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->low.count, 5U);
  EXPECT_EQ(first->high.count, 4U);
  EXPECT_DOUBLE_EQ(1e3 * first->low.median, second->low.median);
  EXPECT_DOUBLE_EQ(1e3 * first->high.median, second->high.median);
}

TEST(modes, are_at_least_two_of_six_values_each_that_differ_by_more_than_five_percent) {
  EXPECT_FALSE(two_modes_of({6.0, 6.1, 6.0, 6.1, 6.0, 6.1, 6.0, 6.1, 9.0}));
  EXPECT_TRUE(two_modes_of({6.0, 6.1, 6.0, 6.1, 6.0, 6.1, 6.0, 9.0, 9.1}));
  EXPECT_FALSE(two_modes_of({100, 100, 100, 100, 104, 104, 104, 104, 104}));
  EXPECT_TRUE(two_modes_of({100, 100, 100, 100, 106, 106, 106, 106, 106}));
  EXPECT_FALSE(two_modes_of({}));
  EXPECT_FALSE(two_modes_of({1, 1, 2, 2, 2}));
  EXPECT_TRUE(two_modes_of({1, 1, 1, 2, 2, 2}));
}

/// The part of samples of so many values that are said to have two modes, of which these begin at
/// 0 and the others so many standard deviations behind.
double told(std::size_t values, std::size_t near, double distance) {
  std::mt19937_64 random(4);
  std::normal_distribution<double> noise(0, 0.05);  // so wide that 5 % say nothing
  constexpr int trials = 4000;
  int found = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> sample(values);
    for (std::size_t i = 0; i < values; ++i)
      sample[i] = std::exp(noise(random) + (i < near ? 0 : 0.05 * distance));
    found += two_modes_of(sample) ? 1 : 0;
  }
  return static_cast<double>(found) / trials;
}

TEST(modes, are_seldom_told_of_values_with_one) {
  for (const std::size_t values : {6U, 9U, 12U, 20U, 21U, 30U, 60U})
    EXPECT_LE(told(values, values, 0), 0.0125) << values;
}

TEST(modes, are_told_if_they_are_far_apart) {
  for (const std::size_t values : {9U, 12U, 20U, 30U})
    for (const auto near : {values / 4, values / 2})
      EXPECT_GE(told(values, near, 12), 0.95) << values << ", " << near;
}

}  // namespace
}  // namespace bench_transfers::statistics::modes_test
