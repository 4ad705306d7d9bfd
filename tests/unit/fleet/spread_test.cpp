#include "src/fleet/judge/spread.hpp"

#include <random>
#include <stdexcept>
#include <vector>

#include "tests/basics.hpp"

namespace bench_transfers::fleet::spread_test {
namespace {

template <class Distribution>
std::vector<double> drawn(std::size_t count, Distribution distribution) {
  std::mt19937_64 random(7);
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(distribution(random));
  return values;
}

TEST(spread, of_many_values_is_theirs_and_tells_their_tails) {
  const auto normal = spread_of(drawn(4000, std::normal_distribution<double>(0, 0.01)), 0.01);
  EXPECT_NEAR(normal.deviation, 0.01, 0.0006);
  EXPECT_GE(normal.degrees, 12);
  const auto heavy = spread_of(drawn(4000, std::student_t_distribution<double>(3)), 1);
  EXPECT_THAT(heavy.degrees, AllOf(Ge(3), Le(4)));
  EXPECT_NEAR(heavy.deviation, 1, 0.08);
}

TEST(spread, is_not_changed_by_slow_values) {
  auto values = drawn(1000, std::normal_distribution<double>(0, 0.01));
  const auto healthy = spread_of(values, 0.01);
  for (auto& value : values)
    if (value > 0.005) value += 1;
  EXPECT_EQ(spread_of(values, 0.01).deviation, healthy.deviation);
}

TEST(spread, of_few_values_is_near_what_is_expected) {
  const auto found = spread_of(std::vector{0.0, 0.0001}, 0.003);
  EXPECT_THAT(found.deviation, AllOf(Ge(0.002), Le(0.004)));
  EXPECT_EQ(found.degrees, 6);
  EXPECT_THROW(spread_of({}, 0.003), std::invalid_argument);
}

TEST(spread, tells_how_likely_a_healthy_value_is) {
  const spread healthy{0.1, 6};
  EXPECT_NEAR(healthy.p(0), 0.5, 1e-12);
  EXPECT_NEAR(healthy.p(healthy.exceeded_by(1e-5)), 1e-5, 1e-10);
  EXPECT_GT(healthy.p(0.2), healthy.p(0.3));
}

}  // namespace
}  // namespace bench_transfers::fleet::spread_test
