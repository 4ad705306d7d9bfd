#include "src/statistics/location.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

namespace bench_transfers::statistics::location_test {
namespace {

TEST(location, is_the_median_of_up_to_four_values) {
  EXPECT_EQ(location({7}), 7);
  EXPECT_EQ(location({1, 3}), 2);
  EXPECT_EQ(location({9, 1, 2}), 2);
  EXPECT_EQ(location({1, 2, 4, 100}), 3);
}

TEST(location, is_the_median_of_the_means_of_pairs_of_more) {
  // Of 1, 2, 3, 4, 100 the fifteen means in order: 1 1.5 2 2 2.5 2.5 3 3 3.5 4 ...: the eighth.
  EXPECT_EQ(location({100, 4, 3, 2, 1}), 3);
  EXPECT_EQ(location({0, 0, 0, 0, 10}), 0);
}

TEST(location, bears_a_quarter_of_outliers) {
  EXPECT_LT(location({1, 1.1, 0.9, 1, 1.05, 0.95, 1e6, 1e6}), 1.2);
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
