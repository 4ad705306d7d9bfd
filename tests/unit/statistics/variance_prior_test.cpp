#include "src/statistics/variance_prior.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace bench_transfers::statistics::variance_prior_test {
namespace {

/// Variances with a prior of so many degrees around one, each estimated with so many.
std::vector<variance_estimate> drawn(std::size_t count, double prior_degrees, double degrees) {
  std::mt19937_64 random(3);
  std::chi_squared_distribution<double> around(prior_degrees);
  std::chi_squared_distribution<double> of_estimate(degrees);
  std::vector<variance_estimate> all;
  for (std::size_t i = 0; i < count; ++i) {
    const double truth = prior_degrees / around(random);
    all.push_back({truth * of_estimate(random) / degrees, degrees});
  }
  return all;
}

TEST(variance_prior, finds_what_variances_have_in_common) {
  const variance_prior prior(drawn(3000, 8, 6));
  EXPECT_NEAR(prior.typical().degrees, 8, 2);
  EXPECT_NEAR(prior.typical().variance, 1, 0.1);
}

TEST(variance_prior, is_certain_where_all_variances_are_the_same) {
  std::vector<variance_estimate> all = drawn(3000, 1e9, 6);
  const variance_prior prior(all);
  EXPECT_GT(prior.typical().degrees, 60);
  const auto moderated = prior.moderated({2.5, 6});
  EXPECT_NEAR(moderated.variance, 1, 0.2);
  EXPECT_GT(moderated.degrees, 60);
}

TEST(variance_prior, draws_estimates_towards_it_by_their_degrees) {
  const variance_prior prior(drawn(1000, 10, 10));
  const auto& typical = prior.typical();
  const auto moderated = prior.moderated({0.5, 10});
  EXPECT_DOUBLE_EQ(moderated.degrees, 10 + typical.degrees);
  EXPECT_DOUBLE_EQ(moderated.variance,
                   (10 * 0.5 + typical.degrees * typical.variance) / (10 + typical.degrees));
  // What it cannot explain is left as it is.
  const auto left = prior.moderated({1000, 10});
  EXPECT_EQ(left.variance, 1000);
  EXPECT_EQ(left.degrees, 10);
}

TEST(variance_prior, of_two_estimates_knows_nothing) {
  const variance_prior prior(std::vector<variance_estimate>{{1, 5}, {100, 5}});
  EXPECT_EQ(prior.moderated({1, 5}).variance, 1);
  EXPECT_EQ(prior.moderated({1, 5}).degrees, 5);
}

TEST(variance_prior, is_not_ruined_by_an_outlier) {
  auto all = drawn(200, 10, 10);
  all[7].variance = 1e8;
  const variance_prior prior(all);
  EXPECT_GT(prior.typical().degrees, 5);
}

}  // namespace
}  // namespace bench_transfers::statistics::variance_prior_test
