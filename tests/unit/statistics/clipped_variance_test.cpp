#include "src/statistics/clipped_variance.hpp"

#include <gtest/gtest.h>

#include <random>

namespace bench_transfers::statistics::clipped_variance_test {
namespace {

using groups = std::vector<std::vector<double>>;

class clipped : public testing::Test {
 protected:
  groups normal_groups(const std::vector<std::size_t>& sizes, double deviation) {
    groups result;
    double level = 0;
    for (const auto size : sizes) {
      level += 10;  // groups may lie anywhere
      result.emplace_back();
      for (std::size_t i = 0; i < size; ++i)
        result.back().push_back(level + std::normal_distribution<double>(0, deviation)(random_));
    }
    return result;
  }

  double mean_variance(const std::vector<std::size_t>& sizes, double deviation) {
    constexpr int rounds = 5000;
    double mean = 0;
    for (int i = 0; i < rounds; ++i)
      mean += clipped_variance(normal_groups(sizes, deviation)).variance;
    return mean / rounds;
  }

  std::mt19937_64 random_{7};
};

TEST_F(clipped, is_right_on_average_whatever_the_groups) {
  EXPECT_NEAR(mean_variance({10}, 2), 4, 0.15);
  EXPECT_NEAR(mean_variance({5, 5}, 2), 4, 0.15);
  EXPECT_NEAR(mean_variance({3, 4, 8}, 2), 4, 0.15);
  EXPECT_NEAR(mean_variance({2, 2, 2, 2}, 1), 1, 0.08);
}

TEST_F(clipped, is_not_blown_up_by_an_outlier) {
  auto values = normal_groups({10}, 1);
  const double before = clipped_variance(values).variance;
  values[0][3] += 1000;
  EXPECT_LT(clipped_variance(values).variance, 4 * before + 4);
}

TEST_F(clipped, leaves_single_values_out) {
  auto values = normal_groups({10}, 1);
  const auto alone = clipped_variance(values);
  values.push_back({-500});
  values.emplace_back();
  const auto with = clipped_variance(values);
  EXPECT_EQ(with.variance, alone.variance);
  EXPECT_EQ(with.degrees, alone.degrees);
  EXPECT_EQ(clipped_variance(groups{{1}, {2}, {}}).degrees, 0);
  EXPECT_EQ(clipped_variance(groups{{3, 3, 3, 3}}).variance, 0);
}

TEST(unclipped_variance, is_that_within_groups_with_their_outliers) {
  const groups values{{1, 2, 3}, {10, 20}, {7}, {}};
  EXPECT_DOUBLE_EQ(unclipped_variance(values).variance, (2.0 + 50.0) / 3);
  EXPECT_EQ(unclipped_variance(values).degrees, 3);
  EXPECT_EQ(unclipped_variance(groups{{1}}).degrees, 0);
}

}  // namespace
}  // namespace bench_transfers::statistics::clipped_variance_test
