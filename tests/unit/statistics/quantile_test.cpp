#include "src/statistics/quantile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

namespace bench_transfers::statistics::quantile_test {
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
  EXPECT_THROW(interval_of_median({}, 0.95), std::invalid_argument);
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
  EXPECT_DOUBLE_EQ(all.median, 3);
  EXPECT_DOUBLE_EQ(all.max, 8);
  EXPECT_DOUBLE_EQ(all.mean, 3.75);
}

TEST(quantiles, are_told_by_five_values_beyond_them) {
  for (const auto& [p, least] :
       {std::pair{0.05, 100U}, {0.95, 100U}, {0.99, 500U}, {0.999, 5000U}}) {
    EXPECT_EQ(least_values(p), least);
    std::vector<double> ascending(least);
    std::iota(ascending.begin(), ascending.end(), 1);
    EXPECT_EQ(told_quantile(ascending, p), quantile(ascending, p));
    ascending.pop_back();
    EXPECT_EQ(told_quantile(ascending, p), std::nullopt);
  }
}

TEST(summarize, has_the_percentiles_that_the_values_tell) {
  for (const std::size_t n : {3U, 99U, 100U, 499U, 500U, 4999U, 5000U}) {
    std::vector<double> values(n);
    std::iota(values.begin(), values.end(), 1);
    const auto all = summarize(values);
    EXPECT_EQ(all.p5.has_value(), n >= 100);
    EXPECT_EQ(all.p95.has_value(), n >= 100);
    EXPECT_EQ(all.p99.has_value(), n >= 500);
    EXPECT_EQ(all.p999.has_value(), n >= 5000);
  }
}

TEST(summarize, figures_are_in_order_whatever_the_order_of_values) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200; ++i) {
    auto values = random_values(random);
    const auto all = summarize(values);
    EXPECT_EQ(all.min, *std::ranges::min_element(values));
    EXPECT_LE(all.min, all.p5.value_or(all.min));
    EXPECT_LE(all.p5.value_or(all.min), all.median);
    EXPECT_LE(all.median, all.p95.value_or(all.max));
    EXPECT_LE(all.p95.value_or(all.max), all.p99.value_or(all.max));
    EXPECT_LE(all.p99.value_or(all.max), all.p999.value_or(all.max));
    EXPECT_LE(all.p999.value_or(all.max), all.max);
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

/// 1, 2, … n in any order: which of them the interval ends at is how many from the end.
interval ends_for(std::size_t n, double confidence) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1);
  std::ranges::shuffle(values, std::mt19937_64(n));
  return interval_of_median(std::move(values), confidence);
}

struct binomial_row {
  std::size_t values, from_either_end;
};

void expect_ends(const std::vector<binomial_row>& table, double confidence) {
  for (const auto& [n, k] : table) {
    const auto [low, high] = ends_for(n, confidence);
    EXPECT_EQ(low, static_cast<double>(k)) << n;
    EXPECT_EQ(high, static_cast<double>(n + 1 - k)) << n;
  }
}

TEST(interval_of_median, ends_where_tables_of_the_sign_test_have_it) {
  expect_ends({{6, 1},   {7, 1},   {8, 1},   {9, 2},   {10, 2},  {11, 2},  {12, 3},
               {13, 3},  {14, 3},  {15, 4},  {16, 4},  {17, 5},  {18, 5},  {19, 5},
               {20, 6},  {21, 6},  {22, 6},  {23, 7},  {24, 7},  {25, 8},  {30, 10},
               {40, 14}, {50, 18}, {60, 22}, {70, 27}, {80, 31}, {90, 36}, {100, 40}},
              0.95);
  expect_ends({{8, 1}, {10, 1}, {20, 4}, {50, 16}, {100, 37}}, 0.99);
}

TEST(interval_of_median, of_few_values_has_all_of_them) {
  for (const std::size_t n : {1U, 2U, 3U, 4U, 5U}) {
    EXPECT_EQ(ends_for(n, 0.95).low, 1) << n;
    EXPECT_EQ(ends_for(n, 0.95).high, static_cast<double>(n)) << n;
  }
  // No number of values gives certainty.
  for (const std::size_t n : {1U, 10U, 1000U}) {
    EXPECT_EQ(ends_for(n, 1).low, 1) << n;
    EXPECT_EQ(ends_for(n, 1).high, static_cast<double>(n)) << n;
  }
}

TEST(interval_of_median, of_many_values_is_as_wide_as_the_normal_approximation_says) {
  for (const std::size_t n : {1000U, 1100U, 5000U, 100'000U}) {
    const auto count = static_cast<double>(n);
    const auto [low, high] = ends_for(n, 0.95);
    EXPECT_NEAR(low, count / 2 - 0.98 * std::sqrt(count), 2) << n;
    EXPECT_EQ(low + high, count + 1) << n;
  }
}

TEST(interval_of_median, has_the_median_in_it) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 500; ++i) {
    const auto values = random_values(random);
    for (const double confidence : {0.0, 0.5, 0.95, 0.999}) {
      const auto [low, high] = interval_of_median(values, confidence);
      EXPECT_LE(low, median(values));
      EXPECT_GE(high, median(values));
    }
    EXPECT_LE(interval_of_median(values, 0.95).low, interval_of_median(values, 0.5).low);
    EXPECT_GE(interval_of_median(values, 0.95).high, interval_of_median(values, 0.5).high);
  }
}

TEST(interval_of_median, covers_the_true_one_as_often_as_it_says) {
  std::mt19937_64 random(5);
  std::lognormal_distribution<double> skewed(1, 2);
  const double truth = std::exp(1);
  constexpr int trials = 4000;
  for (const std::size_t n : {6U, 10U, 15U, 30U, 100U}) {
    int covered = 0;
    for (int i = 0; i < trials; ++i) {
      std::vector<double> values(n);
      for (auto& value : values) value = skewed(random);
      const auto [low, high] = interval_of_median(std::move(values), 0.95);
      if (low <= truth && truth <= high) ++covered;
    }
    // 96 to 98 % with these numbers of values; one value further from the middle on either side,
    // it would be more than 99 %. The standard deviation of the count is below 14.
    EXPECT_GE(covered, trials * 0.95 - 45) << n;
    EXPECT_LE(covered, trials * 0.98 + 45) << n;
  }
}

}  // namespace
}  // namespace bench_transfers::statistics::quantile_test
