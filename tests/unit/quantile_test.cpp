#include "statistics/quantile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <vector>

namespace statistics {
namespace {

std::vector<double> random_values(std::mt19937_64& random) {
  std::vector<double> values(1 + random() % 300);
  // Long tails and ties, as times have them.
  std::lognormal_distribution<double> tailed(0, 2);
  for (auto& value : values) value = random() % 4 == 0 ? 1 : tailed(random);
  return values;
}

TEST(quantile, hand_computed_values_of_type_7) {
  // Position p * (n - 1), counted from 0, linearly between neighbours.
  const std::vector<double> five{15, 20, 35, 40, 50};
  EXPECT_DOUBLE_EQ(quantile(five, 0), 15);
  EXPECT_DOUBLE_EQ(quantile(five, 0.05), 16);
  EXPECT_DOUBLE_EQ(quantile(five, 0.3), 23);
  EXPECT_DOUBLE_EQ(quantile(five, 0.4), 29);
  EXPECT_DOUBLE_EQ(quantile(five, 0.5), 35);
  EXPECT_DOUBLE_EQ(quantile(five, 0.95), 48);
  EXPECT_DOUBLE_EQ(quantile(five, 1), 50);

  const std::vector<double> four{1, 2, 4, 8};
  EXPECT_DOUBLE_EQ(quantile(four, 0.05), 1.15);
  EXPECT_DOUBLE_EQ(quantile(four, 0.5), 3);
  EXPECT_DOUBLE_EQ(quantile(four, 0.95), 7.4);
}

TEST(quantile, a_single_value_is_every_quantile) {
  for (const double p : {0.0, 0.05, 0.5, 0.95, 1.0})
    EXPECT_EQ(quantile(std::vector<double>{7.25}, p), 7.25);
}

TEST(quantile, there_is_none_of_nothing) {
  EXPECT_THROW(quantile({}, 0.5), std::invalid_argument);
  EXPECT_THROW(summarize({}), std::invalid_argument);
  EXPECT_THROW(median({}), std::invalid_argument);
}

TEST(quantile, grows_with_p_and_stays_between_the_extremes) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 200; ++i) {
    auto values = random_values(random);
    std::ranges::sort(values);
    double before = values.front();
    for (double p = 0; p <= 1; p += 1.0 / 64) {
      const double now = quantile(values, p);
      EXPECT_GE(now, before);
      EXPECT_LE(now, values.back());
      before = now;
    }
  }
}

TEST(median, of_values_in_any_order) {
  EXPECT_DOUBLE_EQ(median({9, 1, 5}), 5);
  EXPECT_DOUBLE_EQ(median({9, 1, 5, 2}), 3.5);
  EXPECT_DOUBLE_EQ(median({-3}), -3);
}

TEST(summarize, hand_computed) {
  const auto all = summarize({8, 1, 4, 2});
  EXPECT_DOUBLE_EQ(all.min, 1);
  EXPECT_DOUBLE_EQ(all.p5, 1.15);
  EXPECT_DOUBLE_EQ(all.median, 3);
  EXPECT_DOUBLE_EQ(all.p95, 7.4);
  EXPECT_DOUBLE_EQ(all.max, 8);
  EXPECT_DOUBLE_EQ(all.mean, 3.75);
}

TEST(summarize, figures_are_in_order_whatever_the_order_of_values) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200; ++i) {
    auto values = random_values(random);
    const auto all = summarize(values);
    EXPECT_EQ(all.min, *std::ranges::min_element(values));
    EXPECT_LE(all.min, all.p5);
    EXPECT_LE(all.p5, all.median);
    EXPECT_LE(all.median, all.p95);
    EXPECT_LE(all.p95, all.max);
    EXPECT_EQ(all.max, *std::ranges::max_element(values));
    EXPECT_GE(all.mean, all.min);
    EXPECT_LE(all.mean, all.max * (1 + 1e-12));
    // Half of the values lie on either side of the median.
    const auto half = static_cast<std::ptrdiff_t>(values.size() / 2);
    EXPECT_LE(std::ranges::count_if(values, [&](double v) { return v < all.median; }), half);
    EXPECT_LE(std::ranges::count_if(values, [&](double v) { return v > all.median; }), half);

    std::ranges::shuffle(values, random);
    const auto again = summarize(values);
    EXPECT_EQ(again.median, all.median);
    EXPECT_EQ(again.p5, all.p5);
    EXPECT_EQ(again.p95, all.p95);
  }
}

}  // namespace
}  // namespace statistics
