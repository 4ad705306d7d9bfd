#include "src/statistics/sample_order.hpp"

#include <gtest/gtest.h>

#include <random>

namespace bench_transfers::statistics::sample_order_test {
namespace {

TEST(sample_order, has_the_limits_of_published_tables) {
  struct row {
    std::size_t first, second;
    std::optional<std::size_t> most;
  };
  // Mann and Whitney's U, two-sided, 5 %. Too few values tell nothing.
  for (const auto& [first, second, most] : {row{4, 4, 0},
                                            {3, 6, 1},
                                            {5, 5, 2},
                                            {8, 10, 17},
                                            {10, 8, 17},
                                            {20, 20, 127},
                                            {2, 8, 0},
                                            {2, 7, {}},
                                            {3, 3, {}},
                                            {9, 0, {}},
                                            {0, 0, {}}})
    EXPECT_EQ(most_pairs_reversed(first, second), most) << first << " and " << second;
}

TEST(sample_order, of_many_values_goes_on_as_of_few) {
  const auto part = [](std::size_t count) {
    return static_cast<double>(most_pairs_reversed(count, count).value()) /
           static_cast<double>(count * count);
  };
  EXPECT_LT(part(50), part(51));  // 51 by 51 is beyond what is counted
  EXPECT_NEAR(part(50), part(51), 0.003);
  EXPECT_GT(part(1000), 0.47);
}

TEST(sample_order, counts_equal_values_as_reversed) {
  EXPECT_EQ(pairs_reversed({4, 5, 6}, {1, 2, 3}), 0U);
  EXPECT_EQ(pairs_reversed({1, 2, 3}, {4, 5, 6}), 9U);
  EXPECT_EQ(pairs_reversed({2, 3}, {1, 2}), 1U);
}

TEST(sample_order, is_clear_where_19_of_20_pairs_of_enough_values_agree) {
  for (std::size_t first = 1; first < 9; ++first)
    for (std::size_t second = 1; second < 9; ++second)
      EXPECT_EQ(is_clearly_larger(std::vector<double>(first, 2), std::vector<double>(second, 1)),
                most_pairs_reversed(first, second).has_value())
          << first << " and " << second;
  const std::vector<double> small(10, 1);
  std::vector<double> large(20, 2);
  large.front() = 1;
  EXPECT_TRUE(is_clearly_larger(large, small));
  large.back() = 1;
  EXPECT_FALSE(is_clearly_larger(large, small));
}

TEST(sample_order, is_wrong_as_seldom_as_it_says) {
  std::mt19937_64 random(5);
  int clear = 0;
  constexpr int trials = 4000;
  for (int i = 0; i < trials; ++i) {
    std::vector<double> large(7);
    std::vector<double> small(9);
    for (auto* values : {&large, &small})
      for (auto& value : *values) value = std::exponential_distribution<double>()(random);
    clear += pairs_reversed(large, small) <= most_pairs_reversed(7, 9).value();
  }
  EXPECT_LT(clear / static_cast<double>(trials), 0.032);  // 0.025 and four standard errors less
  EXPECT_GT(clear, 0);
}

}  // namespace
}  // namespace bench_transfers::statistics::sample_order_test
