#include "src/gate/judge/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "src/statistics/location.hpp"

namespace bench_transfers::gate::compare_test {
namespace {

/// Suites of benchmarks, in logarithms of time.
class comparing : public testing::Test {
 protected:
  std::vector<double> processes(std::size_t count, double level, double deviation) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i)
      values.push_back(level + std::normal_distribution<double>(0, deviation)(random_));
    return values;
  }

  std::vector<observation> suite(std::size_t benchmarks, double deviation, std::size_t after = 3) {
    std::vector<observation> all(benchmarks);
    for (auto& benchmark : all) {
      benchmark.before = {processes(5, 0, deviation), processes(5, 0, deviation)};
      benchmark.after = {processes(after, 0, deviation)};
      benchmark.kind = benchmark_class::link;
    }
    return all;
  }

  /// Sessions differ far more than processes.
  std::vector<observation> with_different_sessions(std::size_t benchmarks) {
    auto all = suite(benchmarks, 0.0005);
    for (auto& benchmark : all)
      for (auto* const session :
           {&benchmark.before[0], &benchmark.before[1], &benchmark.after[0]}) {
        const double level = processes(1, 0, 0.01)[0];
        for (auto& value : *session) value += level;
      }
    return all;
  }

  static void slow_down(observation& benchmark, double part) {
    for (auto& session : benchmark.after)
      for (auto& value : session) value += std::log1p(part);
  }

  static std::size_t count(const comparison& comparison, outcome verdict) {
    return static_cast<std::size_t>(
        std::ranges::count(comparison.benchmarks, verdict, &benchmark_judgement::verdict));
  }

  std::mt19937_64 random_{11};
};

TEST_F(comparing, finds_nothing_where_nothing_changed) {
  const auto result = compare(suite(200, 0.002), {});
  EXPECT_EQ(count(result, outcome::unchanged), 200);
  EXPECT_FALSE(result.classes.at(0).changed);
}

TEST_F(comparing, finds_the_slower_benchmark) {
  auto all = suite(200, 0.002);
  slow_down(all[17], 0.05);
  const auto result = compare(all, {});
  EXPECT_EQ(result.benchmarks[17].verdict, outcome::slower);
  EXPECT_NEAR(result.benchmarks[17].shift, std::log1p(0.05), 0.01);
  EXPECT_EQ(count(result, outcome::unchanged), 199);
}

TEST_F(comparing, reports_the_faster_benchmark) {
  auto all = suite(200, 0.005);
  slow_down(all[17], -0.05);
  EXPECT_EQ(compare(all, {}).benchmarks[17].verdict, outcome::faster);
}

TEST_F(comparing, accepts_a_certain_slowdown_below_the_threshold) {
  auto all = suite(50, 0.0005);
  slow_down(all[3], 0.015);
  EXPECT_EQ(compare(all, {}).benchmarks[3].verdict, outcome::unchanged);
  EXPECT_EQ(compare(all, {.threshold = 0.01}).benchmarks[3].verdict, outcome::slower);
}

TEST_F(comparing, accepts_more_if_latency_decides) {
  auto all = suite(50, 0.002);
  slow_down(all[3], 0.04);
  EXPECT_EQ(compare(all, {}).benchmarks[3].verdict, outcome::slower);
  for (auto& benchmark : all) benchmark.kind = benchmark_class::latency;
  EXPECT_EQ(compare(all, {}).benchmarks[3].verdict, outcome::unchanged);
}

TEST_F(comparing, does_not_take_one_disturbed_process_for_a_change) {
  auto all = suite(200, 0.003);
  all[4].after[0][1] += 0.3;
  EXPECT_EQ(compare(all, {}).benchmarks[4].verdict, outcome::ambiguous);
}

TEST_F(comparing, is_unsure_when_one_of_three_processes_is_as_fast_as_before) {
  auto all = suite(200, 0.003);
  all[4].after[0][0] += 0.2;
  all[4].after[0][1] += 0.2;
  EXPECT_EQ(compare(all, {}).benchmarks[4].verdict, outcome::ambiguous);
}

TEST_F(comparing, is_unsure_when_the_baseline_was_as_slow_before) {
  auto all = suite(200, 0.003);
  all[4].before[1][2] += 0.10;
  slow_down(all[4], 0.10);
  EXPECT_EQ(compare(all, {}).benchmarks[4].verdict, outcome::ambiguous);
}

TEST_F(comparing, still_finds_a_change_beyond_an_outlier_of_the_baseline) {
  auto all = suite(200, 0.003);
  all[4].before[1][2] += 0.10;
  slow_down(all[4], 0.20);
  EXPECT_EQ(compare(all, {}).benchmarks[4].verdict, outcome::slower);
}

TEST_F(comparing, attributes_a_shift_of_all_to_the_environment) {
  auto all = suite(60, 0.003);
  for (auto& benchmark : all) slow_down(benchmark, 0.08);
  const auto result = compare(all, {});
  ASSERT_EQ(result.classes.size(), 1);
  EXPECT_TRUE(result.classes[0].changed);
  EXPECT_NEAR(result.classes[0].shift, std::log1p(0.08), 0.005);
  EXPECT_EQ(count(result, outcome::slower), 0);
}

TEST_F(comparing, attributes_a_speedup_of_all_to_the_environment) {
  auto all = suite(60, 0.003);
  for (auto& benchmark : all) slow_down(benchmark, -0.08);
  EXPECT_TRUE(compare(all, {}).classes.at(0).changed);
}

TEST_F(comparing, is_unsure_of_a_shift_beyond_the_threshold_only_with_its_class) {
  auto all = suite(60, 0.001);
  for (auto& benchmark : all) slow_down(benchmark, 0.018);
  slow_down(all[4], 0.018);
  const auto result = compare(all, {});
  EXPECT_FALSE(result.classes.at(0).changed);
  EXPECT_EQ(result.benchmarks[4].verdict, outcome::ambiguous);
}

TEST_F(comparing, finds_a_slowdown_also_beside_improvements) {
  auto all = suite(40, 0.003);
  slow_down(all[0], 0.10);
  for (const std::size_t i : {1, 2, 3}) slow_down(all[i], -0.20);
  const auto result = compare(all, {});
  EXPECT_EQ(result.benchmarks[0].verdict, outcome::slower);
  EXPECT_EQ(count(result, outcome::faster), 3);
}

TEST_F(comparing, learns_from_sessions_in_which_a_benchmark_is_missing) {
  auto all = suite(60, 0.002);
  for (auto& benchmark : all) {
    benchmark.before.push_back({});
    for (auto& session : benchmark.before)
      for (auto& value : session) value += session.size() == 5 ? 0 : 1;
  }
  all[0].before[2] = processes(2, 0.5, 0.002);
  all[1].before[2] = processes(2, -0.5, 0.002);
  slow_down(all[7], 0.10);
  const auto result = compare(all, {});
  EXPECT_EQ(result.benchmarks[7].verdict, outcome::slower);
}

TEST_F(comparing, separates_the_classes) {
  auto all = suite(60, 0.003);
  for (std::size_t i = 0; i < 30; ++i) {
    all[i].kind = benchmark_class::latency;
    slow_down(all[i], 0.09);
  }
  slow_down(all[40], 0.05);
  const auto result = compare(all, {});
  ASSERT_EQ(result.classes.size(), 2);
  EXPECT_FALSE(result.classes[0].changed);
  EXPECT_TRUE(result.classes[1].changed);
  EXPECT_EQ(result.classes[0].kind, benchmark_class::link);
  EXPECT_EQ(result.classes[1].kind, benchmark_class::latency);
  EXPECT_EQ(result.benchmarks[40].verdict, outcome::slower);
}

TEST_F(comparing, finds_a_change_of_two_fifths_of_all) {
  auto all = suite(100, 0.003);
  for (std::size_t i = 0; i < 40; ++i) slow_down(all[i], 0.10);
  const auto result = compare(all, {});
  EXPECT_FALSE(result.classes.at(0).changed);
  EXPECT_EQ(count(result, outcome::slower), 40);
}

TEST_F(comparing, never_passes_a_change_of_any_part_of_the_suite) {
  for (std::size_t part = 1; part <= 20; ++part) {
    auto all = suite(100, 0.003);
    for (std::size_t i = 0; i < 5 * part; ++i) slow_down(all[i], 0.10);
    const auto result = compare(all, {});
    EXPECT_TRUE(count(result, outcome::slower) > 0 || result.classes.at(0).changed)
        << 5 * part << " of 100 slowed";
  }
}

TEST_F(comparing, reports_a_shift_of_all_even_if_sessions_explain_it) {
  auto all = suite(60, 0.001);
  // Five sessions of the baseline and the new one: all alike, 4 % apart.
  const std::vector<double> levels{0, 0.04, -0.03, 0.05, -0.02};
  for (auto& benchmark : all) {
    benchmark.before.clear();
    for (const double level : levels) benchmark.before.push_back(processes(3, level, 0.001));
    benchmark.after = {processes(3, 0.045, 0.001)};
  }
  const auto result = compare(all, {});
  EXPECT_GT(result.classes.at(0).explained, 0.05);
  EXPECT_TRUE(result.classes.at(0).changed);
  EXPECT_EQ(count(result, outcome::slower), 0);
}

TEST_F(comparing, estimates_how_much_sessions_differ_from_one_benchmark_to_the_next) {
  auto all = suite(200, 0.003);
  for (auto& benchmark : all) {
    const double level = processes(1, 0, 0.02)[0];
    for (auto& value : benchmark.after[0]) value += level;
  }
  const auto result = compare(all, {});
  EXPECT_EQ(count(result, outcome::slower), 0);
  EXPECT_NEAR(result.benchmarks[0].session_deviation, 0.02, 0.01);
  EXPECT_GT(result.benchmarks[0].resolution, 0.05);
}

TEST_F(comparing, assumes_that_sessions_differ_if_there_are_few_benchmarks) {
  auto all = suite(3, 0.005);
  const auto result = compare(all, {});
  EXPECT_TRUE(result.classes.empty());
  for (const auto& benchmark : result.benchmarks)
    EXPECT_GE(benchmark.session_deviation, 1.9 * benchmark.process_deviation);
}

TEST_F(comparing, takes_one_process_a_session) {
  std::vector<observation> all(30);
  for (auto& benchmark : all) {
    for (int i = 0; i < 10; ++i) benchmark.before.push_back(processes(1, 0, 0.001));
    for (int i = 0; i < 3; ++i) benchmark.after.push_back(processes(1, 0, 0.001));
  }
  slow_down(all[5], 0.10);
  const auto result = compare(all, {});
  EXPECT_EQ(result.benchmarks[5].verdict, outcome::slower);
  EXPECT_EQ(count(result, outcome::unchanged), 29);
}

TEST_F(comparing, accepts_values_that_are_all_the_same) {
  std::vector<observation> all(20);
  for (auto& benchmark : all) {
    benchmark.before = {std::vector<double>(10, 1.5)};
    benchmark.after = {std::vector<double>(3, 1.5)};
  }
  slow_down(all[0], 0.07);
  const auto result = compare(all, {});
  EXPECT_EQ(result.benchmarks[0].verdict, outcome::slower);
  EXPECT_EQ(count(result, outcome::unchanged), 19);
}

TEST_F(comparing, ignores_differences_below_the_clocks_resolution) {
  auto all = suite(20, 0.0001);
  all[0].least_deviation = 0.03;
  slow_down(all[0], 0.06);
  EXPECT_EQ(compare(all, {}).benchmarks[0].verdict, outcome::not_known);
}

// What counts as tested.

TEST_F(comparing, does_not_know_what_noise_would_hide) {
  auto all = suite(40, 0.03);
  const auto result = compare(all, {});
  EXPECT_GT(count(result, outcome::not_known), 30);
  EXPECT_TRUE(is_advisory(result.benchmarks[0], 0.02));
  EXPECT_EQ(count(compare(all, {.threshold = 0.3}), outcome::unchanged), 40);
}

TEST_F(comparing, counts_processes_that_are_much_slower_than_all_of_the_baseline) {
  // Three thresholds count where they are more than six deviations, and otherwise those.
  for (const auto& [deviation, few, many] :
       {std::tuple{0.002, 0.05, 0.07}, std::tuple{0.03, 0.13, 0.30}}) {
    auto all = suite(200, deviation);
    const auto slowest = std::ranges::max(joined(all[4].before));
    all[4].after[0] = {slowest + few, 0, 0};
    EXPECT_EQ(compare(all, {}).benchmarks[4].slow_processes, 0) << deviation;
    all[4].after[0] = {slowest + many, slowest + few, 0};
    EXPECT_EQ(compare(all, {}).benchmarks[4].slow_processes, 1) << deviation;
    all[4].after[0] = {slowest + many, 0, slowest + many};
    EXPECT_EQ(compare(all, {}).benchmarks[4].slow_processes, 2) << deviation;
  }
}

/// The looks of the processes that are much slower, of three looks of three processes.
TEST_F(comparing, looks_again_at_what_is_much_slower_in_a_process) {
  struct sighting_case {
    std::size_t looks;
    std::vector<std::size_t> slow;  ///< places of processes
    sighting state;
    outcome verdict;
  };
  for (const auto& [looks, slow, state, verdict] :
       std::vector<sighting_case>{{1, {}, sighting::none, outcome::unchanged},
                                  {1, {1}, sighting::open, outcome::ambiguous},
                                  {1, {1, 2}, sighting::open, outcome::ambiguous},
                                  {2, {1}, sighting::cleared, outcome::unchanged},
                                  {2, {4}, sighting::open, outcome::ambiguous},
                                  {2, {1, 4}, sighting::again, outcome::slower},
                                  {3, {4}, sighting::cleared, outcome::unchanged},
                                  {3, {8}, sighting::open, outcome::ambiguous},
                                  {3, {4, 8}, sighting::again, outcome::slower},
                                  {3, {0, 3, 6}, sighting::again, outcome::slower}})
    for (const double excess : {0.1, 0.3, 4.6}) {
      auto all = suite(200, 0.002, 3 * looks);
      for (const auto place : slow) all[4].after[0][place] += excess;
      for (std::size_t look = 0; look < looks; ++look)
        all[4].looks.emplace_back(
            all[4].after[0].begin() + static_cast<std::ptrdiff_t>(3 * look),
            all[4].after[0].begin() + static_cast<std::ptrdiff_t>(3 * look + 3));
      const auto benchmark = compare(all, {}).benchmarks[4];
      EXPECT_EQ(benchmark.sighting, state) << looks << ' ' << slow.size() << ' ' << excess;
      EXPECT_EQ(benchmark.verdict, verdict) << looks << ' ' << slow.size() << ' ' << excess;
      EXPECT_EQ(benchmark.slow_processes, slow.size());
    }
}

/// Two processes of a session may be slow by themselves; a session is slow if most of it is.
TEST_F(comparing, takes_a_level_of_a_session_from_most_of_its_processes) {
  for (const std::size_t slow : {0, 1, 2, 3, 5}) {
    auto all = suite(200, 0.001);
    for (std::size_t i = 0; i < slow; ++i) all[9].before[1][i] += 0.03;
    slow_down(all[4], 0.03);
    const auto expected = slow < 3 ? outcome::slower : outcome::ambiguous;
    EXPECT_EQ(compare(all, {}).benchmarks[4].verdict, expected) << slow;
  }
}

TEST_F(comparing, is_unsure_of_what_is_seen_again_at_the_pace_of_the_baseline) {
  auto all = suite(20, 0.002, 6);
  for (const auto place : {1, 4}) all[4].after[0][static_cast<std::size_t>(place)] += 0.3;
  const auto& values = all[4].after[0];
  all[4].looks = {{values.begin(), values.begin() + 3}, {values.begin() + 3, values.end()}};
  EXPECT_EQ(compare(all, {}).benchmarks[4].sighting, sighting::again);
  const auto strict = compare(all, {.false_alarm = 1e-6}).benchmarks[4];
  EXPECT_EQ(strict.sighting, sighting::unsure);
  EXPECT_EQ(strict.verdict, outcome::ambiguous);
}

/// Sessions of other machines say how far machines differ; those of one machine do not.
TEST_F(comparing, learns_from_machines_how_far_another_one_may_be) {
  auto all = suite(24, 0.01);
  for (auto& benchmark : all) {
    benchmark.kind = benchmark_class::host;
    benchmark.before.push_back(processes(5, 0, 0.01));
    benchmark.before.push_back(processes(5, 0, 0.01));
    slow_down(benchmark, 0.30);
  }
  const auto shared_of = [&](bool sessions_are_machines) {
    return compare(all, {.vetoing = {benchmark_class::host},
                         .other_machine = true,
                         .sessions_are_machines = sessions_are_machines})
        .classes.at(0);
  };
  EXPECT_TRUE(shared_of(true).slower);
  EXPECT_FALSE(shared_of(false).slower);
  EXPECT_TRUE(shared_of(false).may_be_slower);
  EXPECT_GT(shared_of(true).at_least, shared_of(false).at_least);
}

TEST_F(comparing, expects_the_same_bounds_for_several_numbers_of_runs_as_for_each) {
  const auto all = suite(30, 0.004);
  const std::vector<std::size_t> numbers{3, 8, 50};
  const auto bounds = expected_bounds(all, numbers, {});
  ASSERT_EQ(bounds.size(), numbers.size());
  for (std::size_t n = 0; n < numbers.size(); ++n)
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(bounds[n][i].resolution, expected_bounds(all, numbers[n], {})[i].resolution);
      EXPECT_EQ(bounds[n][i].resolution, detectable(all, numbers[n], {})[i].resolution);
    }
}

TEST_F(comparing, is_not_surprised_by_what_the_baselines_processes_show) {
  auto all = suite(200, 0.002);
  for (std::size_t i = 0; i < 200; i += 10) all[i].before[i / 10 % 2][2] += 0.3;
  all[4].after[0][1] += 0.3;   // another benchmark than those
  all[10].after[0][1] += 0.3;  // one of them
  all[7].after[0][1] += 4.6;   // none of them was as slow
  const auto result = compare(all, {});
  EXPECT_EQ(result.benchmarks[4].sighting, sighting::none);
  EXPECT_EQ(result.benchmarks[10].sighting, sighting::none);
  EXPECT_EQ(result.benchmarks[7].sighting, sighting::open);
}

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

TEST_F(comparing, is_unsure_of_several_thresholds_that_chance_does_not_explain) {
  auto all = suite(200, 0.03);
  const auto verdict_at = [&](double shift) {
    all[4].before = {{-0.03, -0.015, 0, 0.015, 0.03}, {-0.03, -0.015, 0, 0.015, 0.03}};
    all[4].after = {{shift, shift, shift}};
    const auto result = compare(all, {});
    const auto& benchmark = result.benchmarks[4];
    EXPECT_GT(benchmark.p, 0.03) << shift;  // among 200 benchmarks, chance explains it
    return benchmark.verdict;
  };
  EXPECT_EQ(verdict_at(0.066), outcome::ambiguous);
  EXPECT_EQ(verdict_at(0.05), outcome::not_known);  // less than three thresholds
}

TEST_F(comparing, is_not_suspicious_of_what_chance_explains_alone) {
  auto all = suite(200, 0.10);
  all[4].before = {{-0.1, -0.05, 0, 0.05, 0.1}, {-0.1, -0.05, 0, 0.05, 0.1}};
  all[4].after = {{0.075, 0.075, 0.075}};
  EXPECT_EQ(compare(all, {}).benchmarks[4].verdict, outcome::not_known);
}

TEST_F(comparing, is_unsure_at_three_times_the_rate_of_false_alarms) {
  auto all = suite(200, 0.005);
  const auto at = [&](double false_alarm) {
    return compare(all, {.false_alarm = false_alarm}).benchmarks[4].verdict;
  };
  for (auto& value : all[4].after[0]) value = 0.03;
  all[4].before[0] = all[4].before[1] = {-0.005, -0.0025, 0, 0.0025, 0.005};
  const double p = compare(all, {}).benchmarks[4].p;
  ASSERT_LT(p, 0.01);
  EXPECT_EQ(at(1.1 * p), outcome::slower);
  EXPECT_EQ(at(0.9 * p), outcome::ambiguous);
  EXPECT_EQ(at(0.35 * p), outcome::ambiguous);
  EXPECT_EQ(at(0.32 * p), outcome::ambiguous);  // its noise alone should not show as much
}

TEST_F(comparing, takes_what_is_faster_for_that_at_the_rate_of_false_alarms) {
  auto all = suite(200, 0.005);
  all[4].before[0] = all[4].before[1] = {-0.005, -0.0025, 0, 0.0025, 0.005};
  for (auto& value : all[4].after[0]) value = -0.019;
  EXPECT_NE(compare(all, {}).benchmarks[4].verdict, outcome::faster);  // less than the threshold
  for (auto& value : all[4].after[0]) value = -0.025;
  EXPECT_EQ(compare(all, {}).benchmarks[4].verdict, outcome::faster);
  EXPECT_NE(compare(all, {.false_alarm = 1e-9}).benchmarks[4].verdict, outcome::faster);
}

TEST_F(comparing, does_not_take_what_is_faster_only_with_its_class_for_that) {
  auto all = suite(60, 0.0005);
  for (auto& benchmark : all) slow_down(benchmark, -0.015);
  slow_down(all[4], -0.015);
  EXPECT_EQ(compare(all, {}).benchmarks[4].verdict, outcome::unchanged);
}

// Which processes must be slower.

TEST_F(comparing, tolerates_one_fast_process_of_every_three_beyond_the_third) {
  for (const auto& [runs, tolerated] : {std::pair{3, 0}, {5, 0}, {6, 1}, {8, 1}, {9, 2}, {12, 3}}) {
    for (const int fast : {tolerated, tolerated + 1}) {
      auto all = suite(100, 0.002, static_cast<std::size_t>(runs));
      for (int i = fast; i < runs; ++i) all[4].after[0][static_cast<std::size_t>(i)] += 0.3;
      const auto verdict = compare(all, {}).benchmarks[4].verdict;
      EXPECT_EQ(verdict == outcome::slower, fast == tolerated) << fast << " of " << runs;
    }
  }
}

TEST_F(comparing, tolerates_one_slow_process_of_forty_in_the_baseline) {
  for (const std::size_t processes_before : {39U, 40U}) {
    auto all = suite(100, 0.002);
    for (auto& benchmark : all) benchmark.before = {processes(processes_before, 0, 0.002)};
    all[4].before[0][7] = 0.5;
    slow_down(all[4], 0.2);
    const auto verdict = compare(all, {}).benchmarks[4].verdict;
    EXPECT_EQ(verdict == outcome::slower, processes_before == 40) << processes_before;
  }
}

TEST_F(comparing, wants_every_process_beyond_the_threshold) {
  auto all = suite(200, 0.001);
  all[4].after = {{0.05, 0.05, 0.015}};
  EXPECT_EQ(compare(all, {}).benchmarks[4].verdict, outcome::ambiguous);
  all[4].after = {{0.05, 0.05, 0.025}};
  EXPECT_EQ(compare(all, {}).benchmarks[4].verdict, outcome::slower);
}

TEST_F(comparing, wants_every_process_beyond_the_noise) {
  // Two and a half deviations from the centre, or two from the slowest process of the baseline.
  auto all = suite(200, 0.01);
  all[4].before[0] = all[4].before[1] = {-0.01, -0.005, 0, 0.005, 0.01};
  all[4].after = {{0.1, 0.1, 0.024}};
  EXPECT_EQ(compare(all, {}).benchmarks[4].verdict, outcome::ambiguous);
  all[4].after = {{0.1, 0.1, 0.045}};
  EXPECT_EQ(compare(all, {}).benchmarks[4].verdict, outcome::slower);
  all[4].before[0][4] = 0.04;
  EXPECT_EQ(compare(all, {}).benchmarks[4].verdict, outcome::ambiguous);
}

TEST_F(comparing, wants_every_process_beyond_what_the_class_has_in_common) {
  auto all = suite(60, 0.0005);
  for (auto& benchmark : all) slow_down(benchmark, 0.015);
  all[4].after = {{0.1, 0.1, 0.03}};
  EXPECT_EQ(compare(all, {}).benchmarks[4].verdict, outcome::ambiguous);
  all[4].after = {{0.1, 0.1, 0.045}};
  EXPECT_EQ(compare(all, {}).benchmarks[4].verdict, outcome::slower);
  // A faster class makes nothing slower.
  for (auto& benchmark : all) slow_down(benchmark, -0.033);
  all[4].after = {{0.1, 0.1, 0.012}};
  EXPECT_EQ(compare(all, {}).benchmarks[4].verdict, outcome::ambiguous);
}

// Classes.

TEST_F(comparing, keeps_the_noise_of_the_classes_apart) {
  auto all = suite(60, 0.0005);
  for (std::size_t i = 30; i < 60; ++i) {
    all[i].kind = benchmark_class::host;
    const double session = processes(1, 0, 0.05)[0];
    all[i].before = {processes(5, 0, 0.05), processes(5, 0, 0.05)};
    all[i].after = {processes(3, session, 0.05)};
  }
  slow_down(all[4], 0.03);
  const auto result = compare(all, {});
  EXPECT_EQ(result.benchmarks[4].verdict, outcome::slower);
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_LT(result.benchmarks[i].process_deviation, 0.002);
    EXPECT_LT(result.benchmarks[i].session_deviation, 0.002);
    EXPECT_EQ(result.benchmarks[i].verdict, i == 4 ? outcome::slower : outcome::unchanged);
  }
  for (std::size_t i = 30; i < 60; ++i) EXPECT_GT(result.benchmarks[i].process_deviation, 0.01);
}

TEST_F(comparing, shares_the_rate_of_false_alarms_among_classes_and_looks) {
  auto all = suite(60, 0.01);
  for (auto& value : all[4].after[0]) value += 0.05;
  const std::vector half(all.begin(), all.begin() + 30);
  const double alone = compare(half, {}).benchmarks[4].p;
  ASSERT_LT(alone, 0.1);
  EXPECT_NEAR(compare(half, {.looks = 3}).benchmarks[4].p, 3 * alone, 1e-9);
  EXPECT_DOUBLE_EQ(compare(half, {.looks = 100000}).benchmarks[4].p, 1);
  for (std::size_t i = 30; i < 60; ++i) all[i].kind = benchmark_class::host;
  EXPECT_NEAR(compare(all, {}).benchmarks[4].p, 2 * alone, 1e-9);
  EXPECT_NEAR(compare(all, {.looks = 3}).benchmarks[4].p, 6 * alone, 1e-9);
}

TEST_F(comparing, detects_less_where_the_rate_is_shared) {
  auto all = with_different_sessions(60);
  const std::vector half(all.begin(), all.begin() + 30);
  for (std::size_t i = 30; i < 60; ++i) all[i].kind = benchmark_class::host;
  const auto of = [](const std::vector<benchmark_judgement>& judgements) {
    return judgements.front().detectable;
  };
  // As if there were as many more benchmarks.
  EXPECT_NEAR(of(detectable(half, 3, {.looks = 2})), of(detectable(all, 3, {})), 1e-12);
  EXPECT_NEAR(of(detectable(half, 3, {.false_alarm = 0.005})), of(detectable(all, 3, {})), 1e-12);
  EXPECT_LT(of(detectable(half, 3, {})), of(detectable(all, 3, {})));
  EXPECT_NEAR(of(compare(half, {.looks = 2}).benchmarks), of(compare(all, {}).benchmarks), 1e-12);
  EXPECT_LT(of(compare(half, {}).benchmarks), of(compare(all, {}).benchmarks));
}

TEST_F(comparing, has_no_common_shift_for_fewer_than_ten_benchmarks) {
  auto all = suite(10, 0.001);
  for (auto& benchmark : all) slow_down(benchmark, 0.08);
  EXPECT_TRUE(compare(all, {}).classes.at(0).changed);
  EXPECT_EQ(compare(all, {}).classes.at(0).benchmarks, 10);
  all.pop_back();
  EXPECT_TRUE(compare(all, {}).classes.empty());
}

TEST_F(comparing, has_the_thresholds_of_its_classes) {
  auto all = suite(60, 0.001);
  for (auto& benchmark : all) slow_down(benchmark, 0.03);
  EXPECT_TRUE(compare(all, {}).classes.at(0).changed);
  for (auto& benchmark : all) benchmark.kind = benchmark_class::latency;
  EXPECT_FALSE(compare(all, {}).classes.at(0).changed);
  for (auto& benchmark : all) benchmark.kind = benchmark_class::host;
  EXPECT_TRUE(compare(all, {}).classes.at(0).changed);
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
    const boost::math::students_t t(judgement.degrees);
    const double error = judgement.standard_error;
    const double critical = quantile(complement(t, 0.01 / 30)) * error;
    ASSERT_GT(critical, std::log1p(0.02));
    EXPECT_NEAR(judgement.detectable, critical + 0.841621 * error, 1e-6);
    EXPECT_NEAR(judgement.detectable_surely, critical + 1.644854 * error, 1e-6);
    // And what sessions do to the class as a whole.
    EXPECT_GE(judgement.resolution, (quantile(t, 0.95) + 0.841621) * error);
    EXPECT_GE(judgement.at_most, judgement.shift + quantile(t, 0.95) * error);
    EXPECT_LE(judgement.at_most, judgement.shift + quantile(t, 0.95) * error + 0.01);
  }
}

TEST_F(comparing, detects_no_less_than_the_threshold) {
  const auto judgement = compare(suite(100, 0.0001), {.threshold = 0.2}).benchmarks[0];
  EXPECT_NEAR(judgement.detectable, std::log1p(0.2), 0.001);
  EXPECT_LT(judgement.resolution, 0.01);
}

/// Each of three processes must exceed 2.5 deviations.
TEST_F(comparing, detects_what_every_process_shows) {
  auto all = suite(30, 0);
  for (auto& benchmark : all) {
    benchmark.least_deviation = 0.01;
    for (auto& session : benchmark.before) std::ranges::fill(session, 0);
    std::ranges::fill(benchmark.after[0], 0);
  }
  for (const auto& judgement : compare(all, {}).benchmarks) {
    const double process = judgement.process_deviation;
    const double session = judgement.session_deviation * std::sqrt(1.5);
    const double least =
        2.5 * std::hypot(process * std::sqrt(1 + statistics::location_variance(10)), session);
    // Three processes exceed a distance with 80 % if each does with the third root of 80 %.
    const auto expected = [&](double of_each, double of_session) {
      return least + std::hypot(process * of_each, session * of_session);
    };
    EXPECT_NEAR(judgement.detectable, expected(1.463376, 0.841621), 1e-6);
    EXPECT_NEAR(judgement.detectable_surely, expected(2.121201, 1.644854), 1e-6);
  }
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
    const boost::math::students_t t(judgement.degrees);
    const double error = judgement.standard_error;
    EXPECT_NEAR(judgement.at_least, judgement.shift - quantile(t, 1 - 0.01 / 9) * error, 1e-9);
    EXPECT_NEAR(judgement.at_most, judgement.shift + quantile(t, 0.95) * error, 1e-9);
    EXPECT_NEAR(judgement.resolution, (quantile(t, 0.95) + 0.841621) * error, 1e-6);
    const auto interval = interval_of(judgement, 0.9).value();
    EXPECT_NEAR(interval.low, judgement.shift - quantile(t, 0.95) * error, 1e-9);
    EXPECT_NEAR(interval.high, judgement.shift + quantile(t, 0.95) * error, 1e-9);
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

// What a session may do.

/// Slower by 6 %, beside benchmarks that have a level of their own in one of the sessions.
TEST_F(comparing, is_unsure_where_sessions_move_other_benchmarks_as_far) {
  struct session_case {
    std::size_t sessions, others;
    double apart;
    outcome verdict;
  };
  for (const auto& [sessions, others, apart, verdict] :
       std::vector<session_case>{{2, 0, 0, outcome::slower},
                                 {2, 1, 0.025, outcome::slower},  // less than half
                                 {2, 1, 0.033, outcome::ambiguous},
                                 {2, 1, 0.22, outcome::ambiguous},
                                 {2, 1, 0.25, outcome::slower},  // more than four times
                                 {6, 1, 0.05, outcome::ambiguous},
                                 {7, 1, 0.05, outcome::slower},  // one of 128 is less than 1 %
                                 {7, 2, 0.05, outcome::ambiguous}}) {
    auto all = suite(100, 0.0005);
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].before.clear();
      for (std::size_t s = 0; s < sessions; ++s)
        all[i].before.push_back(processes(5, s == 0 && i < others ? apart : 0, 0.0005));
    }
    slow_down(all[40], 0.06);
    EXPECT_EQ(compare(all, {}).benchmarks[40].verdict, verdict)
        << others << " by " << apart << " in one of " << sessions;
  }
}

/// A baseline of one session shows nothing of that. What got faster does; one may be an
/// improvement.
TEST_F(comparing, is_unsure_where_other_benchmarks_got_faster_as_far) {
  struct speedup_case {
    std::size_t others;
    double faster;
    outcome verdict;
  };
  for (const auto& [others, faster, verdict] :
       std::vector<speedup_case>{{1, 0.1, outcome::slower},
                                 {2, 0.029, outcome::slower},  // less than a third
                                 {2, 0.035, outcome::ambiguous},
                                 {2, 0.3, outcome::ambiguous},
                                 {2, 0.36, outcome::slower}}) {  // more than four times
    auto all = suite(100, 0.0005);
    for (auto& benchmark : all) benchmark.before = {processes(10, 0, 0.0005)};
    for (std::size_t i = 0; i < others; ++i) slow_down(all[i], -faster);
    slow_down(all[40], 0.1);
    EXPECT_EQ(compare(all, {}).benchmarks[40].verdict, verdict) << others << " by " << faster;
  }
}

/// From three thresholds, or three of the usual ones.
TEST_F(comparing, needs_much_after_a_single_session) {
  struct single_case {
    benchmark_class kind;
    double threshold;  ///< of both kinds
    double slower;
    outcome verdict;
  };
  for (const auto& [kind, threshold, slower, verdict] :
       std::vector<single_case>{{benchmark_class::link, 0.02, 0.058, outcome::ambiguous},
                                {benchmark_class::link, 0.02, 0.063, outcome::slower},
                                {benchmark_class::link, 0.01, 0.028, outcome::ambiguous},
                                {benchmark_class::link, 0.01, 0.032, outcome::slower},
                                {benchmark_class::link, 0.04, 0.058, outcome::ambiguous},
                                {benchmark_class::link, 0.04, 0.063, outcome::slower},
                                {benchmark_class::latency, 0.1, 0.147, outcome::ambiguous},
                                {benchmark_class::latency, 0.1, 0.153, outcome::slower}}) {
    auto all = suite(100, 0.0002);
    for (auto& benchmark : all) {
      benchmark.kind = kind;
      benchmark.before = {processes(10, 0, 0.0002)};
    }
    slow_down(all[40], slower);
    const limits limits{.threshold = threshold, .latency_threshold = threshold};
    EXPECT_EQ(compare(all, limits).benchmarks[40].verdict, verdict) << threshold << ' ' << slower;
    for (auto& benchmark : all) benchmark.before = {benchmark.before[0], benchmark.before[0]};
    EXPECT_EQ(compare(all, limits).benchmarks[40].verdict, outcome::slower) << slower;
  }
}

/// Slower beyond doubt, by less than the threshold, and perhaps by more.
TEST_F(comparing, is_unsure_whether_a_slowdown_reaches_the_threshold) {
  auto all = suite(200, 0.002);
  all[4].before[0] = all[4].before[1] = {-0.002, -0.001, 0, 0.001, 0.002};
  for (const double slower : {0.019, 0.094}) {
    all[4].after[0] = {slower, slower, slower};
    const limits limits{.threshold = std::expm1(slower + 0.001)};
    EXPECT_EQ(compare(all, limits).benchmarks[4].verdict, outcome::ambiguous) << slower;
  }
  all[4].after[0] = {0.094, 0.094, 0.094};  // ten percent where a class only vetoes
  EXPECT_EQ(compare(all, {.vetoing = {benchmark_class::link}}).benchmarks[4].verdict,
            outcome::not_known);
  all[4].after[0] = {0, 0, 0};
  EXPECT_EQ(compare(all, {}).benchmarks[4].verdict, outcome::unchanged);
}

// Classes that only veto.

TEST_F(comparing, vetoes_by_larger_thresholds) {
  struct veto_case {
    benchmark_class kind;
    double slower;
    outcome verdict;
  };
  for (const auto& [kind, slower, verdict] :
       std::vector<veto_case>{{benchmark_class::link, 0.095, outcome::unchanged},
                              {benchmark_class::link, 0.105, outcome::slower},
                              {benchmark_class::host, 0.105, outcome::slower},
                              {benchmark_class::latency, 0.145, outcome::unchanged},
                              {benchmark_class::latency, 0.155, outcome::slower}}) {
    auto all = suite(60, 0.0002);
    for (auto& benchmark : all) {
      benchmark.kind = kind;
      benchmark.before = {{0, 0.0002, -0.0002}, {0, 0.0002, -0.0002}};
      benchmark.before.push_back(benchmark.before[0]);
    }
    slow_down(all[4], slower);
    EXPECT_EQ(compare(all, {.vetoing = {kind}}).benchmarks[4].verdict, verdict) << slower;
  }
}

/// Where a class decides, its benchmarks need only be slower beyond doubt, and by the threshold.
TEST_F(comparing, vetoes_only_by_a_lower_bound_beyond_the_threshold) {
  auto all = suite(200, 0.005);
  for (auto& value : all[4].after[0]) value = 0.103;
  all[4].before[0] = all[4].before[1] = {-0.005, -0.0025, 0, 0.0025, 0.005};
  EXPECT_EQ(compare(all, {.threshold = 0.1}).benchmarks[4].verdict, outcome::slower);
  EXPECT_EQ(compare(all, {.vetoing = {benchmark_class::link}}).benchmarks[4].verdict,
            outcome::ambiguous);
  for (auto& value : all[4].after[0]) value = 0.15;
  EXPECT_EQ(compare(all, {.vetoing = {benchmark_class::link}}).benchmarks[4].verdict,
            outcome::slower);
}

/// Doubts that prevent a pass of a class that decides are none of one that vetoes.
TEST_F(comparing, does_not_veto_by_what_noise_or_sessions_may_explain) {
  auto all = suite(100, 0.0005);
  all[1].before[1] = processes(5, 0.2, 0.0005);
  const limits vetoing{.vetoing = {benchmark_class::link}};
  all[40].after = {{std::log1p(0.1) - 0.002, std::log1p(0.1) + 0.001, std::log1p(0.1) + 0.004}};
  EXPECT_EQ(compare(all, {.threshold = 0.1}).benchmarks[40].verdict, outcome::ambiguous);
  EXPECT_EQ(compare(all, vetoing).benchmarks[40].verdict, outcome::not_known);
  // They explain one or two, but not three, nor one whose lower bound is beyond the threshold.
  auto two = all;
  slow_down(two[0], 0.11);
  EXPECT_EQ(compare(two, vetoing).benchmarks[40].verdict, outcome::not_known);
  auto three = two;
  slow_down(three[41], 0.11);
  EXPECT_EQ(compare(three, vetoing).benchmarks[40].verdict, outcome::ambiguous);
  auto much = all;
  slow_down(much[40], 0.05);
  EXPECT_EQ(compare(much, vetoing).benchmarks[40].verdict, outcome::ambiguous);
  // One session does not show what sessions do.
  for (auto& benchmark : all) benchmark.before = {processes(10, 0, 0.0005)};
  for (const std::size_t i : {1, 2}) slow_down(all[i], -0.2);
  EXPECT_EQ(compare(all, vetoing).benchmarks[40].verdict, outcome::ambiguous);
}

}  // namespace
}  // namespace bench_transfers::gate::compare_test
