#include "src/gate/judge/process_variance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace bench_transfers::gate::process_variance_test {
namespace {

/// Of a benchmark of so many ns, three processes on each side that differ by this deviation.
observation observed(double ns, double deviation, std::mt19937_64& random,
                     benchmark_class kind = benchmark_class::latency) {
  std::normal_distribution<double> cost(std::log(ns), deviation);
  const auto processes = [&] { return costs{{cost(random), cost(random), cost(random)}}; };
  return {.before = processes(), .after = processes(), .kind = kind};
}

double deviation_of(const statistics::variance_estimate& of) { return std::sqrt(of.variance); }

TEST(process_variance, of_a_baseline_does_not_ask_new_runs) {
  std::mt19937_64 random(1);
  std::vector<observation> suite;
  for (int i = 0; i < 20; ++i) suite.push_back(observed(1e6, 0.01, random, benchmark_class::link));
  const auto before = process_variances(suite, variance_told_by::baseline);
  for (auto& each : suite) each.after = {{0, 5, 10}};
  const auto after = process_variances(suite, variance_told_by::baseline);
  for (std::size_t i = 0; i < suite.size(); ++i) EXPECT_EQ(before[i].variance, after[i].variance);
}

TEST(process_variance, of_both_sides_has_the_degrees_of_both) {
  std::mt19937_64 random(1);
  const std::vector alone{observed(1e6, 0.01, random)};
  const auto of = process_variances(alone, variance_told_by::both_sides).front();
  EXPECT_EQ(of.degrees, 4);
  auto single = alone;
  single.front().after = {{13}};
  EXPECT_EQ(process_variances(single, variance_told_by::both_sides).front().degrees, 2);
}

/// Three processes of one speed are no sign that there is no other one.
TEST(process_variance, of_both_sides_knows_that_calls_have_two_speeds) {
  std::mt19937_64 random(3);
  std::bernoulli_distribution is_slow(0.5);
  std::normal_distribution<double> around(0, 0.015);
  const auto cost = [&] { return std::log(is_slow(random) ? 7e3 : 6e3) + around(random); };
  std::vector<observation> suite;
  for (int i = 0; i < 100; ++i)
    suite.push_back({.before = {{cost(), cost(), cost()}},
                     .after = {{cost(), cost(), cost()}},
                     .kind = benchmark_class::latency});
  const double apart = std::log(7.0 / 6);
  for (const auto& each : process_variances(suite, variance_told_by::both_sides))
    EXPECT_GT(deviation_of(each), apart / 4);
}

TEST(process_variance, of_both_sides_takes_calls_for_alike_in_time) {
  std::mt19937_64 random(5);
  std::vector<observation> suite;
  for (int i = 0; i < 200; ++i)
    suite.push_back(observed(i % 2 == 0 ? 6e3 : 30e3, i % 2 == 0 ? 0.05 : 0.01, random));
  suite.push_back(observed(40, 0.1, random));  // calls nothing
  const auto of = process_variances(suite, variance_told_by::both_sides);
  for (std::size_t i = 0; i < 200; ++i) {
    const double expected = i % 2 == 0 ? 0.05 : 0.01;
    EXPECT_GT(deviation_of(of[i]), expected / 2);
    EXPECT_LT(deviation_of(of[i]), expected * 2);
  }
  EXPECT_EQ(of.back().degrees, 4);
}

}  // namespace
}  // namespace bench_transfers::gate::process_variance_test
