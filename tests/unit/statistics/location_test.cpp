#include "src/statistics/location.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include "src/statistics/quantile.hpp"

namespace bench_transfers::statistics::location_test {
namespace {

TEST(location, is_the_median_of_up_to_four_values_and_of_the_means_of_pairs_of_more) {
  EXPECT_EQ(location({7}), 7);
  EXPECT_EQ(location({1, 3}), 2);
  EXPECT_EQ(location({9, 1, 2}), 2);
  EXPECT_EQ(location({1, 2, 4, 100}), 3);
  // Of 1, 2, 3, 4, 100 the fifteen means in order: 1 1.5 2 2 2.5 2.5 3 3 3.5 4 ...: the eighth.
  EXPECT_EQ(location({100, 4, 3, 2, 1}), 3);
  EXPECT_EQ(location({0, 0, 0, 0, 10}), 0);
  EXPECT_LT(location({1, 1.1, 0.9, 1, 1.05, 0.95, 1e6, 1e6}), 1.2) << "a quarter are outliers";
}

/// By definition.
double median_of_means(const std::vector<double>& values) {
  std::vector<double> means;
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = i; j < values.size(); ++j) means.push_back((values[i] + values[j]) / 2);
  return median(means);
}

// Their pairs are not looked at one by one.
TEST(location, of_many_is_the_same_number) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  for (std::size_t count = 60; count < 100; ++count)
    for (const double scale : {1.0, 1e-300, 1e300, 0.0}) {
      std::vector<double> values(count), whole(count);
      for (auto& value : values) value = scale * normal(random);
      for (auto& value : whole) value = std::round(3 * normal(random));
      EXPECT_EQ(location(values), median_of_means(values)) << count << " values";
      EXPECT_EQ(location(whole), median_of_means(whole)) << count << " values";
    }
}

TEST(location, of_nothing_is_refused) {
  EXPECT_THROW(location({}), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(location_variance(0)), std::invalid_argument);
}

TEST(location, varies_as_much_as_it_says) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (const std::size_t count : {1, 2, 3, 4, 5, 7, 10, 20}) {
    double squares = 0;
    constexpr int rounds = 20'000;
    for (int i = 0; i < rounds; ++i) {
      std::vector<double> values(count);
      for (auto& value : values) value = normal(random);
      squares += std::pow(location(values), 2) / rounds;
    }
    EXPECT_NEAR(squares / location_variance(count), 1, 0.05) << count << " values";
  }
}

}  // namespace
}  // namespace bench_transfers::statistics::location_test
