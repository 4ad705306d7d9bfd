#include "src/statistics/estimate.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "src/statistics/quantile.hpp"

namespace bench_transfers::statistics::estimate_test {
namespace {

TEST(sign_of_a_difference, is_that_of_its_whole_interval) {
  EXPECT_EQ(sign_of(interval{0.1, 2}), 1);
  EXPECT_EQ(sign_of(interval{-2, -0.1}), -1);
  EXPECT_EQ(sign_of(estimate{1, 0.5, 1.5}), 1);
}

TEST(sign_of_a_difference, is_not_told_if_zero_is_in_the_interval) {
  EXPECT_EQ(sign_of(interval{-1, 1}), 0);
  EXPECT_EQ(sign_of(interval{0, 1}), 0);
  EXPECT_EQ(sign_of(interval{-1, 0}), 0);
  constexpr auto unknown = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(sign_of(interval{unknown, unknown}), 0);
}

}  // namespace
}  // namespace bench_transfers::statistics::estimate_test
