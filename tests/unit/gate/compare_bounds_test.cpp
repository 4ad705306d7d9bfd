#include <limits>
#include <stdexcept>

#include "src/statistics/distributions.hpp"
#include "src/statistics/location.hpp"
#include "tests/unit/gate/comparing.hpp"

namespace bench_transfers::gate::compare_bounds_test {
namespace {

// The bounds.

TEST_F(comparing, seldom_calls_unchanged_what_is_slower_by_the_threshold) {
  int passes = 0, unchanged = 0;
  for (int i = 0; i < 100; ++i) {
    auto all = suite(60, 0.005);
    slow_down(all[0], 0.0201);
    const auto result = compare(all, {});
    passes += result.benchmarks[0].verdict == outcome::unchanged;
    unchanged += result.benchmarks[1].verdict == outcome::unchanged;
    EXPECT_LT(result.benchmarks[1].at_least, result.benchmarks[1].shift);
    EXPECT_GT(result.benchmarks[1].at_most, result.benchmarks[1].shift);
  }
  EXPECT_LE(passes, 13);  // at 5 %, more come once in a thousand times
  EXPECT_GT(unchanged, 80);
}

/// Whatever sessions the runs of a baseline belong to, one more run makes no bound worse by more
/// than chance: the median of the benchmarks' errors.
TEST_F(comparing, knows_no_less_with_one_more_run) {
  for (const double between : {0.0, 0.002, 0.005})
    for (const std::vector<std::size_t>& runs : {std::vector<std::size_t>(10, 1),
                                                 std::vector<std::size_t>(30, 1),
                                                 {5, 5},
                                                 {3},
                                                 {3, 3, 3},
                                                 {2, 1, 2, 1, 2, 1, 1},
                                                 {2, 2, 2, 2},
                                                 {10}})
      for (std::size_t added = 0; added < runs.size(); ++added) {
        auto all = suite(56, 0.003);
        auto more = all;
        for (std::size_t i = 0; i < all.size(); ++i) {
          all[i].before.clear();
          for (const auto count : runs)
            all[i].before.push_back(processes(count, processes(1, 0, between)[0], 0.003));
          for (auto& value : all[i].after[0]) value += processes(1, 0, 1e-9)[0];
          more[i] = all[i];
          more[i].before[added].push_back(more[i].before[added][0] + processes(1, 0, 0.004)[0]);
        }
        const auto median_bound = [](const comparison& result) {
          std::vector<double> bounds;
          for (const auto& benchmark : result.benchmarks) bounds.push_back(benchmark.resolution);
          std::ranges::nth_element(bounds, bounds.begin() + 28);
          return bounds[28];
        };
        EXPECT_LT(median_bound(compare(more, {})), 1.4 * median_bound(compare(all, {})))
            << runs.size() << " sessions, one more run in " << added << ", " << between;
      }
}

/// The share of benchmarks whose level is another in each session, and by how much.
TEST_F(comparing, seldom_takes_sessions_of_few_benchmarks_for_changes) {
  for (const std::size_t each : {5, 10, 30})
    for (const double deviation : {0.01, 0.02, 0.05})
      for (const std::size_t sessions : {1, 2, 4}) {
        int alarms = 0;
        for (int i = 0; i < 6; ++i) {
          auto all = suite(300, 0.002);
          for (std::size_t b = 0; b < all.size(); ++b) {
            const double own = b % each == 0 ? deviation : 0.001;
            all[b].before.clear();
            for (std::size_t s = 0; s < sessions; ++s)
              all[b].before.push_back(processes(5, processes(1, 0, own)[0], 0.002));
            all[b].after = {processes(3, processes(1, 0, own)[0], 0.002)};
          }
          alarms += count(compare(all, {}), outcome::slower) > 0;
        }
        EXPECT_LE(alarms, 1) << each << ' ' << deviation << ' ' << sessions;
      }
}

TEST_F(comparing, takes_slow_processes_of_a_slower_class_for_its_own) {
  auto all = suite(60, 0.0005);
  for (auto& benchmark : all) slow_down(benchmark, 0.015);
  const auto slowest = std::ranges::max(joined(all[4].before));
  all[4].after[0][0] = slowest + 0.065;  // 0.058 are three thresholds
  EXPECT_EQ(compare(all, {}).benchmarks[4].slow_processes, 0);
  all[4].after[0][0] = slowest + 0.085;
  EXPECT_EQ(compare(all, {}).benchmarks[4].slow_processes, 1);
}

// What a judgement says.

TEST_F(comparing, advises_by_the_noise_alone) {
  benchmark_judgement judgement;
  judgement.resolution = std::log1p(0.0201);
  EXPECT_TRUE(is_advisory(judgement, 0.02));
  EXPECT_FALSE(is_blind(judgement, 0.02));
  judgement.resolution = std::log1p(0.0199);
  EXPECT_FALSE(is_advisory(judgement, 0.02));
  judgement.resolution = std::log1p(0.0601);
  EXPECT_TRUE(is_blind(judgement, 0.02));
  judgement.resolution = std::log1p(0.0599);
  EXPECT_FALSE(is_blind(judgement, 0.02));
}

TEST_F(comparing, detects_what_differs_more_than_sessions_do) {
  for (const auto& judgement : compare(with_different_sessions(30), {}).benchmarks) {
    const statistics::students_t t{judgement.degrees};
    const double error = judgement.standard_error;
    const double critical = t.exceeded_by(0.01 / 30) * error;
    ASSERT_GT(critical, std::log1p(0.02));
    EXPECT_NEAR(judgement.detectable, critical + 0.841621 * error, 1e-6);
    EXPECT_NEAR(judgement.detectable_surely, critical + 1.644854 * error, 1e-6);
    // And what sessions do to the class as a whole.
    EXPECT_GE(judgement.resolution, (t.quantile(0.95) + 0.841621) * error);
    EXPECT_GE(judgement.at_most, judgement.shift + t.quantile(0.95) * error);
    EXPECT_LE(judgement.at_most, judgement.shift + t.quantile(0.95) * error + 0.01);
  }
}

TEST_F(comparing, detects_no_less_than_the_threshold) {
  const auto judgement = compare(suite(100, 0.0001), {.threshold = 0.2}).benchmarks[0];
  EXPECT_NEAR(judgement.detectable, std::log1p(0.2), 0.001);
  EXPECT_LT(judgement.resolution, 0.01);
}

TEST_F(comparing, needs_three_processes_before_and_one_after) {
  std::vector<observation> all(1);
  all[0].before = {{1, 1}};
  all[0].after = {{1}};
  EXPECT_THROW(compare(all, {}), std::invalid_argument);
  all[0].before = {{1, 1, 1}};
  all[0].after = {{}};
  EXPECT_THROW(compare(all, {}), std::invalid_argument);
}

/// What is said to be found four times of five is found about that often.
TEST_F(comparing, predicts_the_slowdowns_that_it_finds) {
  int detected = 0;
  constexpr int trials = 150;
  for (int i = 0; i < trials; ++i) {
    auto all = suite(40, 0.01);
    for (auto& benchmark : all) benchmark.kind = benchmark_class::latency;
    const double detectable = compare(all, {}).benchmarks[0].detectable;
    slow_down(all[0], std::expm1(detectable));
    detected += compare(all, {}).benchmarks[0].verdict == outcome::slower;
  }
  EXPECT_GT(detected, 0.65 * trials);
  EXPECT_LT(detected, 0.99 * trials);
}

TEST_F(comparing, detects_smaller_slowdowns_with_more_runs) {
  const auto all = suite(40, 0.01);
  const auto with_three_runs = detectable(all, 3, {});
  const auto with_ten_runs = detectable(all, 10, {});
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_LT(with_ten_runs[i].detectable, with_three_runs[i].detectable);
    EXPECT_LT(with_three_runs[i].detectable, with_three_runs[i].detectable_surely);
  }
}

/// A small part of the simulation whose figures docs/GATE.md has.
TEST_F(comparing, seldom_raises_false_alarms) {
  int alarms = 0;
  constexpr int suites = 60;
  for (int i = 0; i < suites; ++i) {
    auto all = suite(100, 0.01);
    for (auto& benchmark : all) {
      const double level = processes(1, 0, 0.005)[0];
      for (auto& value : benchmark.after[0]) value += level;
      if (random_() % 50 == 0) benchmark.after[0][0] += 0.2;
    }
    const auto result = compare(all, {});
    alarms += count(result, outcome::slower) > 0;
  }
  EXPECT_LE(alarms, 4);  // at 1 % each, five or more come once in a thousand times
}

/// Of six processes, one may be as fast as before: five exceed the distance with 80 % if each does
/// with 86.0 %, and with 95 % if each does with 93.7 %.
TEST_F(comparing, detects_what_all_but_one_of_six_processes_show) {
  auto all = suite(30, 0);
  for (auto& benchmark : all) benchmark.least_deviation = 0.01;
  for (const auto& judgement : detectable(all, 6, {})) {
    const double process = judgement.process_deviation;
    const double session = judgement.session_deviation * std::sqrt(1.5);
    const double least =
        2.5 * std::hypot(process * std::sqrt(1 + statistics::location_variance(10)), session);
    EXPECT_NEAR(judgement.detectable, least + std::hypot(process * 1.0808555, session * 0.841621),
                1e-6);
    EXPECT_NEAR(judgement.detectable_surely,
                least + std::hypot(process * 1.5312817, session * 1.644854), 1e-6);
  }
}

TEST_F(comparing, bounds_what_it_cannot_detect) {
  for (const auto& observed : {suite(9, 0.01), suite(30, 0.01)}) {
    const auto bounds = expected_bounds(observed, 3, {});
    const auto with_detectable = detectable(observed, 3, {});
    for (std::size_t i = 0; i < bounds.size(); ++i) {
      EXPECT_EQ(bounds[i].resolution, with_detectable[i].resolution);
      EXPECT_EQ(bounds[i].at_most, with_detectable[i].at_most);
      EXPECT_EQ(bounds[i].detectable, 0);
    }
  }
}

/// Without what a class has in common, by Student's t alone.
TEST_F(comparing, has_bounds_of_a_benchmark_alone) {
  auto all = suite(9, 0.01);
  slow_down(all[4], 0.05);
  for (const auto& judgement : compare(all, {}).benchmarks) {
    const statistics::students_t t{judgement.degrees};
    const double error = judgement.standard_error;
    EXPECT_NEAR(judgement.at_least, judgement.shift - t.quantile(1 - 0.01 / 9) * error, 1e-9);
    EXPECT_NEAR(judgement.at_most, judgement.shift + t.quantile(0.95) * error, 1e-9);
    EXPECT_NEAR(judgement.resolution, (t.quantile(0.95) + 0.841621) * error, 1e-6);
    const auto interval = interval_of(judgement, 0.9).value();
    EXPECT_NEAR(interval.low, judgement.shift - t.quantile(0.95) * error, 1e-9);
    EXPECT_NEAR(interval.high, judgement.shift + t.quantile(0.95) * error, 1e-9);
  }
}

TEST_F(comparing, has_no_interval_without_an_error_or_its_degrees) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const auto has_interval = [](double error, double degrees) {
    benchmark_judgement judgement;
    judgement.standard_error = error;
    judgement.degrees = degrees;
    return interval_of(judgement, 0.95).has_value();
  };
  EXPECT_TRUE(has_interval(0.01, 8));
  EXPECT_FALSE(has_interval(0, 8));
  EXPECT_FALSE(has_interval(infinite, 8));
  EXPECT_FALSE(has_interval(0.01, 0));
  EXPECT_FALSE(has_interval(0.01, infinite));
}

TEST_F(comparing, has_wider_limits_for_means) {
  const auto wider = limits_of_means({.false_alarm = 0.03, .looks = 3});
  EXPECT_DOUBLE_EQ(wider.threshold, 0.05);
  EXPECT_DOUBLE_EQ(wider.latency_threshold, 0.125);
  EXPECT_EQ(wider.false_alarm, 0.03);
  EXPECT_EQ(wider.looks, 3);
}

}  // namespace
}  // namespace bench_transfers::gate::compare_bounds_test
