#include "src/gate/judge/estimate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "src/statistics/distributions.hpp"
#include "src/statistics/location.hpp"

namespace bench_transfers::gate::estimate_test {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Processes that differ by 0.0002 around each session's level.
costs sessions_at(const std::vector<double>& levels) {
  costs sessions;
  for (const double level : levels) sessions.push_back({level - 0.0002, level, level + 0.0002});
  return sessions;
}

std::vector<observation> suite(const costs& before, std::size_t benchmarks = 12) {
  const observation benchmark{
      .before = before, .after = sessions_at({0}), .kind = benchmark_class::link};
  return std::vector(benchmarks, benchmark);
}

TEST(estimates, need_three_processes_before_and_one_after) {
  auto all = suite({{0, 0}});
  EXPECT_THAT([&] { estimates_of(all, {}, 1); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("three processes before")));
  all = suite(sessions_at({0}));
  all[3].after = {{}};
  EXPECT_THROW(estimates_of(all, {}, 1), std::invalid_argument);
  EXPECT_NO_THROW(estimates_for(all, 3, {}));
}

TEST(estimates, take_the_deviation_of_processes_within_sessions) {
  for (const auto& benchmark : estimates_of(suite(sessions_at({0, 0.5})), {}, 1).benchmarks)
    EXPECT_NEAR(std::sqrt(benchmark.process_variance), 0.0002, 0.0001);
}

TEST(estimates, take_it_from_all_processes_where_sessions_have_one) {
  const costs alone{{0.1}, {0.2}, {0.3}};
  for (const auto& benchmark : estimates_of(suite(alone), {}, 1).benchmarks)
    EXPECT_NEAR(std::sqrt(benchmark.process_variance), 0.15, 0.1);
}

TEST(estimates, know_what_a_class_has_in_common_in_each_session) {
  EXPECT_THAT(
      common_of_sessions(suite(sessions_at({0, 0.01, 0.05}))),
      ElementsAre(DoubleNear(-0.02, 1e-12), DoubleNear(-0.01, 1e-12), DoubleNear(0.03, 1e-12)));
  auto unmeasured = sessions_at({0, 9, 0.02});
  unmeasured[1].clear();
  EXPECT_THAT(common_of_sessions(suite(unmeasured)),
              ElementsAre(DoubleNear(-0.01, 1e-12), 0, DoubleNear(0.01, 1e-12)));
  EXPECT_THAT(common_of_sessions(suite(sessions_at({0, 1}), 9)), testing::IsEmpty());
}

TEST(estimates, explain_common_shifts_by_three_sessions_or_more) {
  EXPECT_EQ(estimates_of(suite(sessions_at({0, 0.02})), {}, 1).shared->explained, 0);
  // The 99.5 % quantile of Student's t with two degrees of freedom (Abramowitz and Stegun, table
  // 26.10), times the deviation of one more session.
  const double variance = (0.02 * 0.02 + 0.01 * 0.01 + 0.03 * 0.03) / 2;
  EXPECT_NEAR(estimates_of(suite(sessions_at({0, 0.01, 0.05})), {}, 1).shared->explained,
              9.925 * std::sqrt(variance * (1 + 1.0 / 3)), 1e-4);
}

TEST(estimates, count_the_sessions_that_measured_a_benchmark) {
  auto before = sessions_at({0, 9, 0.0001, 0.0002});
  before[1].clear();
  for (const auto& benchmark : estimates_of(suite(before), {}, 1).benchmarks)
    EXPECT_DOUBLE_EQ(benchmark.session.degrees, 6 + 2);
  for (const auto& benchmark : estimates_of(suite(sessions_at({0}), 30), {}, 1).benchmarks)
    EXPECT_DOUBLE_EQ(benchmark.session.degrees, 6);
}

TEST(estimates, leave_to_sessions_what_their_class_has_not_in_common) {
  // All benchmarks move together: their sessions do not differ beyond that.
  for (const auto& benchmark :
       estimates_of(suite(sessions_at({0, 0.3, 0.1}), 30), {}, 1).benchmarks)
    EXPECT_LT(std::sqrt(benchmark.session.variance), 0.001);
}

TEST(estimates, compare_the_centres_of_all_processes) {
  observation observed{.before = {{3, 1}, {}, {2, 5}}, .after = {{4, 6}, {8}}};
  observed.kind = benchmark_class::latency;
  const auto benchmark = estimates_of({{observed}}, {}, 1).benchmarks.at(0);
  EXPECT_THAT(benchmark.before, ElementsAre(1, 2, 3, 5));
  EXPECT_THAT(benchmark.after, ElementsAre(4, 6, 8));
  EXPECT_THAT(benchmark.looks, ElementsAre(ElementsAre(4, 6, 8)));
  EXPECT_EQ(benchmark.sessions, 2);
  EXPECT_DOUBLE_EQ(benchmark.centre, 2.5);
  EXPECT_DOUBLE_EQ(benchmark.shift, 3.5);
  EXPECT_DOUBLE_EQ(benchmark.common, 0);
  EXPECT_DOUBLE_EQ(benchmark.threshold, std::log1p(0.05));
  // Two halves; two thirds and one.
  EXPECT_DOUBLE_EQ(benchmark.session_part, 0.5 + 5.0 / 9);
  EXPECT_DOUBLE_EQ(benchmark.process_part,
                   statistics::location_variance(4) + statistics::location_variance(3));
  const auto expected = estimates_for({{observed}}, 6, {}).benchmarks.at(0);
  EXPECT_DOUBLE_EQ(expected.session_part, 0.5 + 1);
  EXPECT_DOUBLE_EQ(expected.process_part,
                   statistics::location_variance(4) + statistics::location_variance(6));
  observed.looks = {{4}, {6, 8}};
  EXPECT_THAT(estimates_of({{observed}}, {}, 1).benchmarks.at(0).looks,
              ElementsAre(ElementsAre(4), ElementsAre(6, 8)));
}

/// Two processes for each session, on average, tell them apart.
TEST(estimates, take_the_deviation_within_sessions_of_two_processes) {
  const costs pairs{{0, 0.0002}, {0.1, 0.1002}, {0.3, 0.3002}};
  for (const auto& benchmark : estimates_of(suite(pairs), {}, 1).benchmarks)
    EXPECT_LT(std::sqrt(benchmark.process_variance), 0.001);
  const costs fewer{{0, 0.0002}, {0.1}, {0.3, 0.3002}};
  for (const auto& benchmark : estimates_of(suite(fewer), {}, 1).benchmarks)
    EXPECT_GT(std::sqrt(benchmark.process_variance), 0.05);
}

TEST(estimates, take_no_deviation_for_smaller_than_clocks_and_digits_are) {
  auto all = suite({{0, 0, 0}});
  for (const double least : {1e-4, 0.01}) {
    for (const auto& benchmark : estimates_of(all, {}, 1).benchmarks) {
      EXPECT_GE(std::sqrt(benchmark.process_variance), least);
      EXPECT_LT(std::sqrt(benchmark.process_variance), 2 * least);
    }
    for (auto& benchmark : all) benchmark.least_deviation = 0.01;
  }
}

TEST(estimates, let_new_processes_vary_by_more_only_if_limits_do) {
  observation observed{.before = {{0, 0.01, 0.02, 0.03}}, .after = {{0, 0, 0.3}}};
  limits wide;
  wide.may_vary_more = true;
  EXPECT_EQ(estimates_of({{observed}}, {}, 1).benchmarks.at(0).excess.variance, 0);
  const auto benchmark = estimates_of({{observed}}, wide, 1).benchmarks.at(0);
  constexpr double of_new = 0.03;
  EXPECT_NEAR(benchmark.variance_by_processes(),
              benchmark.process_variance * statistics::location_variance(4) +
                  of_new * statistics::location_variance(3),
              1e-12);
  EXPECT_EQ(benchmark.excess.degrees, 2);
  for (const costs& steady : {costs{{0, 0, 0}}, costs{{0.3}}}) {
    observed.after = steady;
    EXPECT_EQ(estimates_of({{observed}}, wide, 1).benchmarks.at(0).excess.variance, 0);
  }
}

/// Welch and Satterthwaite.
TEST(estimates, have_the_degrees_of_all_variances) {
  estimate benchmark;
  benchmark.process_variance = 0.5;
  benchmark.process_part = 2;
  benchmark.process_degrees = 5;
  benchmark.session = {4, 10};
  benchmark.session_part = 0.5;
  EXPECT_DOUBLE_EQ(benchmark.degrees(), 9 / (1.0 / 5 + 4.0 / 10));
  benchmark.excess = {1, 2};
  EXPECT_DOUBLE_EQ(benchmark.degrees(), 16 / (1.0 / 5 + 1.0 / 2 + 4.0 / 10));
}

// What a class has in common.

double quantile_of_t(double degrees, double probability) {
  return statistics::students_t{degrees}.quantile(probability);
}

std::vector<observation> slower_suite(const costs& before, double shift,
                                      benchmark_class kind = benchmark_class::link) {
  auto all = suite(before);
  for (auto& benchmark : all) {
    benchmark.after = sessions_at({shift});
    benchmark.kind = kind;
  }
  return all;
}

/// The assumption weighs as much as eight sessions more than the baseline has.
TEST(estimates, have_a_lower_bound_of_the_common_shift) {
  const auto distance = [](benchmark_class kind, const costs& before, const limits& limits = {},
                           std::size_t classes = 1) {
    const auto shared = *estimates_of(slower_suite(before, 0.5, kind), limits, classes).shared;
    EXPECT_NEAR(shared.shift, 0.5, 0.06);
    return shared.shift - shared.at_least;
  };
  for (const auto& [kind, deviation] : {std::pair{benchmark_class::link, 0.002},
                                        {benchmark_class::other, 0.002},
                                        {benchmark_class::host, 0.05},
                                        {benchmark_class::latency, 0.075}}) {
    const double assumed = deviation * std::sqrt(2);
    EXPECT_NEAR(distance(kind, sessions_at({0})), quantile_of_t(8, 0.99) * assumed, 1e-9);
    EXPECT_NEAR(distance(kind, sessions_at({0}), {.false_alarm = 0.05}, 2),
                quantile_of_t(8, 0.975) * assumed, 1e-9);
    const auto sessions = sessions_at({0, 0.01, 0.05});
    const double squares = 8 * deviation * deviation + 0.02 * 0.02 + 0.01 * 0.01 + 0.03 * 0.03;
    EXPECT_NEAR(distance(kind, sessions),
                quantile_of_t(10, 0.99) * std::sqrt(squares / 10 * (1 + 1.0 / 3)), 1e-9);
    // The baseline's sessions say nothing about another machine.
    EXPECT_NEAR(distance(kind, sessions, {.other_machine = true}), quantile_of_t(8, 0.99) * assumed,
                1e-9);
  }
}

TEST(estimates, tell_classes_that_are_slower_from_those_that_may_be) {
  const double error = 0.002 * std::sqrt(2);
  const double sure = std::log1p(0.02) + quantile_of_t(8, 0.99) * error;
  const double likely = std::log1p(0.02) + quantile_of_t(8, 0.95) * error;
  const auto shared_at = [](double shift) {
    return *estimates_of(slower_suite(sessions_at({0}), shift), {}, 1).shared;
  };
  EXPECT_TRUE(shared_at(sure + 1e-4).slower);
  EXPECT_FALSE(shared_at(sure + 1e-4).may_be_slower);
  EXPECT_FALSE(shared_at(sure - 1e-4).slower);
  EXPECT_TRUE(shared_at(sure - 1e-4).may_be_slower);
  EXPECT_TRUE(shared_at(likely + 1e-4).may_be_slower);
  EXPECT_FALSE(shared_at(likely - 1e-4).may_be_slower);
  EXPECT_TRUE(shared_at(likely - 1e-4).changed);
  EXPECT_FALSE(shared_at(0.0195).changed);
  EXPECT_TRUE(shared_at(-0.0205).changed);
}

/// A class that only vetoes is slower if a quarter of it is.
TEST(estimates, know_that_a_quarter_of_a_class_is_slower) {
  auto all = suite(sessions_at({0}));
  for (std::size_t i = 0; i < 5; ++i) all[i].after = sessions_at({0.5});
  const auto deciding = estimates_of(all, {}, 1);
  EXPECT_NEAR(deciding.shared->shift, 0, 1e-9);
  EXPECT_FALSE(deciding.shared->slower);
  EXPECT_LT(deciding.shared->at_least, 0);
  const auto vetoing = estimates_of(all, {.vetoing = {benchmark_class::link}}, 1);
  EXPECT_TRUE(vetoing.shared->slower);
  EXPECT_FALSE(vetoing.shared->changed);
  // Three quarters of a normal distribution are below 0.6745 deviations.
  EXPECT_NEAR(vetoing.shared->shift_of_slower_quarter,
              0.5 - 0.6745 * std::sqrt(vetoing.benchmarks[0].variance_by_processes()), 1e-9);
  EXPECT_NEAR(
      vetoing.shared->at_least,
      vetoing.shared->shift_of_slower_quarter - quantile_of_t(8, 0.99) * 0.002 * std::sqrt(2),
      1e-9);
}

TEST(estimates, bound_how_far_sessions_move_a_class) {
  const auto bound_of = [](benchmark_class kind, const std::vector<double>& sessions) {
    return common_bound_of(slower_suite(sessions_at(sessions), 0, kind));
  };
  for (const auto kind : {benchmark_class::link, benchmark_class::other}) {
    EXPECT_NEAR(bound_of(kind, {0}), quantile_of_t(8, 0.95) * 0.002 * std::sqrt(2), 1e-12);
    EXPECT_NEAR(bound_of(kind, {0, 0.02}),
                quantile_of_t(9, 0.95) * std::sqrt((8 * 4e-6 + 2e-4) / 9 * 1.5), 1e-12);
  }
  for (const auto kind : {benchmark_class::host, benchmark_class::latency}) {
    EXPECT_TRUE(std::isinf(bound_of(kind, {0})));
    EXPECT_NEAR(bound_of(kind, {0, 0.02}), quantile_of_t(1, 0.95) * std::sqrt(2e-4 * 1.5), 1e-9);
    // What nobody knows is no part of a bound.
    const auto all = slower_suite(sessions_at({0}), 0, kind);
    EXPECT_EQ(estimates_of(all, {}, 1).benchmarks[0].common_bound, 0);
  }
  const auto all = slower_suite(sessions_at({0}), 0);
  EXPECT_EQ(estimates_of(all, {}, 1).benchmarks[0].common_bound, common_bound_of(all));
  EXPECT_EQ(common_bound_of(suite(sessions_at({0}), 9)), 0);
}

// Sessions.

TEST(estimates, know_how_far_sessions_of_a_benchmark_are_apart_beyond_its_class) {
  auto all = suite(sessions_at({0, 0.3, 0.1}));
  all[4].before = sessions_at({0, 0.32, 0.09});
  all[5].before = sessions_at({0.02, 9, 0.1});
  all[5].before[1].clear();
  all[6].before = sessions_at({0, 0.3, 0.1});
  all[6].before[1].clear();
  all[6].before[2].clear();
  const auto benchmarks = estimates_of(all, {}, 1).benchmarks;
  EXPECT_NEAR(benchmarks[0].levels.apart, 0, 1e-12);
  EXPECT_NEAR(benchmarks[4].levels.apart, 0.03, 1e-12);
  EXPECT_NEAR(benchmarks[5].levels.apart, 0.02, 1e-12);
  EXPECT_EQ(benchmarks[6].levels.apart, 0);
}

/// Four deviations of a process, or six of a session's centre.
TEST(estimates, know_how_far_processes_alone_may_move_sessions) {
  const auto deviations = [](const costs& before) {
    const auto benchmark = estimates_of(suite(before), {}, 1).benchmarks[0];
    return benchmark.levels.apart_by_processes / std::sqrt(benchmark.process_variance);
  };
  EXPECT_NEAR(deviations({{0.1}, {0.2}, {0.3}}), 6, 1e-9);
  EXPECT_NEAR(deviations({std::vector<double>(10, 0), std::vector<double>(10, 0)}), 4, 1e-9);
  const double part = (1 + statistics::location_variance(3)) / 2;
  EXPECT_NEAR(deviations({{0.1}, {0.1, 0.2, 0.3}}), 6 * std::sqrt(part), 1e-9);
}

TEST(estimates, assume_that_other_machines_differ_where_a_class_only_vetoes) {
  for (const auto& [kind, deviation] : {std::pair{benchmark_class::link, 0.002},
                                        {benchmark_class::other, 0.002},
                                        {benchmark_class::host, 0.05},
                                        {benchmark_class::latency, 0.08}}) {
    const auto all = slower_suite(sessions_at({0}), 0, kind);
    const auto least = [&](const limits& limits) {
      return std::sqrt(estimates_of(all, limits, 1).benchmarks[3].session.variance);
    };
    EXPECT_DOUBLE_EQ(least({.vetoing = {kind}, .other_machine = true}), deviation);
    EXPECT_LE(least({.vetoing = {kind}}), 0.002);
    EXPECT_LE(least({.other_machine = true}), 0.002);
  }
}

/// Twenty benchmarks will show in the new session how much sessions differ.
TEST(estimates, assume_less_of_sessions_while_many_shifts_are_to_come) {
  for (const auto& [benchmarks, deviations] : {std::pair{20, 1.0}, {19, 5.0}}) {
    const auto all = suite({{-0.01, 0, 0.01}}, static_cast<std::size_t>(benchmarks));
    const auto expected = estimates_for(all, 3, {}).benchmarks.at(0);
    EXPECT_NEAR(std::sqrt(expected.session.variance / expected.process_variance), deviations, 1e-9);
  }
}

}  // namespace
}  // namespace bench_transfers::gate::estimate_test
