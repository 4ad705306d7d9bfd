#include "src/statistics/process_intervals.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace bench_transfers::statistics::process_intervals_test {
namespace {

/// The medians of so many processes, whose logarithms differ by this standard deviation.
std::vector<double> medians_of(std::size_t processes, double deviation, std::mt19937_64& random) {
  std::normal_distribution<double> logarithm(std::log(100.0), deviation);
  std::vector<double> medians(processes);
  for (auto& value : medians) value = std::exp(logarithm(random));
  return medians;
}

using benchmarks_of = std::vector<std::vector<double>>;

/// How often the intervals of 30 benchmarks hold the median of the processes to come, whose centre
/// has moved by so much of their variance.
double covered_of(std::size_t processes, double degrees_of_deviations, double drift = 0) {
  std::mt19937_64 random(8);
  std::chi_squared_distribution<double> around(degrees_of_deviations);
  std::normal_distribution<double> moved;
  constexpr int trials = 100, benchmarks = 30;
  int covered = 0;
  for (int trial = 0; trial < trials; ++trial) {
    benchmarks_of known;
    std::vector<double> to_come;
    for (int i = 0; i < benchmarks; ++i) {
      const double deviation = 0.02 * std::sqrt(degrees_of_deviations / around(random));
      known.push_back(medians_of(processes, deviation, random));
      to_come.push_back(median(medians_of(processes_to_come, deviation, random)) *
                        std::exp(std::sqrt(drift) * deviation * moved(random)));
    }
    const auto intervals = intervals_of_processes(known, drift);
    for (int i = 0; i < benchmarks; ++i) {
      const auto& [low, high] = *intervals.at(i);
      covered += low <= to_come.at(i) && to_come.at(i) <= high ? 1 : 0;
    }
  }
  return static_cast<double>(covered) / (trials * benchmarks);
}

TEST(process_intervals, hold_the_median_of_other_processes_as_often_as_they_say) {
  // The standard deviation of a share is 0.4 %; the prior has few degrees, so that they are wide
  // where benchmarks resemble each other.
  EXPECT_NEAR(covered_of(3, 3), 0.955, 0.02);
  EXPECT_NEAR(covered_of(3, 8), 0.965, 0.02);
  EXPECT_NEAR(covered_of(5, 4), 0.955, 0.02);
  EXPECT_NEAR(covered_of(3, 3, 0.4), 0.955, 0.02);
}

TEST(process_intervals, are_narrower_of_more_processes) {
  std::mt19937_64 random(1);
  double widths[2] = {0, 0};
  for (int i = 0; i < 200; ++i)
    for (const std::size_t processes : {3U, 6U}) {
      const auto of = intervals_of_processes(benchmarks_of{medians_of(processes, 0.02, random)}, 0);
      widths[processes / 6] += std::log(of.front()->high / of.front()->low);
    }
  EXPECT_LT(widths[1], 0.7 * widths[0]);
}

TEST(process_intervals, are_not_of_so_few_that_they_tell_no_variance) {
  const auto of = intervals_of_processes(benchmarks_of{{100}, {100, 101}, {}}, 0);
  ASSERT_EQ(of.size(), 3U);
  for (const auto& none : of) EXPECT_FALSE(none);  // two processes alone tell as little
  const auto beside =
      intervals_of_processes(benchmarks_of{{100}, {100, 101}, {5, 6}, {7, 8}, {9, 8}}, 0);
  EXPECT_FALSE(beside[0]);
  ASSERT_TRUE(beside[1]);
  EXPECT_LT(beside[1]->low, 100);
  EXPECT_GT(beside[1]->high, 101);
}

TEST(process_intervals, of_equal_medians_have_the_width_of_those_like_them) {
  std::mt19937_64 random(2);
  benchmarks_of all{{100, 100, 100}};
  for (int i = 0; i < 20; ++i) all.push_back(medians_of(3, 0.02, random));
  EXPECT_FALSE(intervals_of_processes(benchmarks_of{{100, 100, 100}}, 0).front());
  EXPECT_GT(intervals_of_processes(all, 0).front()->high, 101);
}

}  // namespace
}  // namespace bench_transfers::statistics::process_intervals_test
