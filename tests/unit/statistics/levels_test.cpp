#include "src/statistics/levels.hpp"

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "tests/basics.hpp"

namespace bench_transfers::statistics::levels_test {
namespace {

constexpr double deviation = 0.1, variance = deviation * deviation, penalty = 12;

/// Normal noise around these levels.
std::vector<double> around(const std::vector<double>& levels) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(0, deviation);
  std::vector<double> values;
  for (const double level : levels) values.push_back(level + noise(random));
  return values;
}

TEST(levels, are_one_where_nothing_happens) {
  EXPECT_THAT(choose_levels(around(std::vector<double>(40, 5)), variance, penalty), ElementsAre(0));
  EXPECT_THAT(choose_levels(std::vector<double>{3}, variance, penalty), ElementsAre(0));
  EXPECT_TRUE(choose_levels({}, variance, penalty).empty());
}

TEST(levels, begin_where_values_step_up_or_down) {
  std::vector<double> levels(10, 0);
  levels.insert(levels.end(), 7, 1);
  levels.insert(levels.end(), 8, 0.2);
  EXPECT_THAT(choose_levels(around(levels), variance, penalty), ElementsAre(0, 10, 17));
}

TEST(levels, may_be_the_newest_value_alone) {
  std::vector<double> levels(10, 0);
  levels.push_back(1);
  EXPECT_THAT(choose_levels(around(levels), variance, penalty), ElementsAre(0, 10));
}

TEST(levels, cost_the_least_of_all_ways_to_cut) {
  const auto values = around({0, 0, 0.3, 0.3, 0.3, 0, 0.5, 0.5, 0.5, 0.1});
  const auto cost_of = [&](unsigned cuts) {  // a bit for each place between two values
    double cost = 0;
    for (std::size_t first = 0; first < values.size();) {
      auto end = first + 1;
      while (end < values.size() && (cuts >> (end - 1) & 1U) == 0) ++end;
      double mean = 0;
      for (auto i = first; i < end; ++i) mean += values[i] / static_cast<double>(end - first);
      for (auto i = first; i < end; ++i) cost += (values[i] - mean) * (values[i] - mean) / variance;
      cost += penalty / 4;
      first = end;
    }
    return cost;
  };
  double least = cost_of(0);
  for (unsigned cuts = 1; cuts < 1U << (values.size() - 1); ++cuts)
    least = std::min(least, cost_of(cuts));
  unsigned chosen = 0;
  for (const auto first : choose_levels(values, variance, penalty / 4))
    if (first > 0) chosen |= 1U << (first - 1);
  EXPECT_NEAR(cost_of(chosen), least, 1e-9);
}

TEST(neighbours, show_the_deviation_in_spite_of_steps_and_drifts) {
  std::vector<double> steps, drift;
  for (int i = 0; i < 200; ++i) {
    steps.push_back(i / 20);
    drift.push_back(0.5 * i);
  }
  for (const auto& levels : {steps, drift, std::vector<double>(200, 0)})
    EXPECT_NEAR(deviation_of_neighbours(around(levels)), deviation, 0.25 * deviation);
  EXPECT_EQ(deviation_of_neighbours(std::vector<double>{1}), 0);
}

}  // namespace
}  // namespace bench_transfers::statistics::levels_test
