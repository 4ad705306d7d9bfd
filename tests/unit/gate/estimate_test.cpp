#include "src/gate/judge/estimate.hpp"

#include <cmath>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "src/statistics/location.hpp"
#include "tests/basics.hpp"
#include "tests/unit/gate/made_up_sessions.hpp"

namespace bench_transfers::gate::estimate_test {
namespace {

TEST(estimates, need_three_processes_before_and_one_after) {
  auto all = suite({{0, 0}});
  EXPECT_THAT([&] { estimates_of(all, {}, 1); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("three processes before")));
  all = suite(sessions_at({0}));
  all[3].after = {{}};
  EXPECT_THROW(estimates_of(all, {}, 1), std::invalid_argument);
  EXPECT_NO_THROW(estimates_for(all, 3, {}));
}

/// Within sessions, if two processes of each on average tell them apart; otherwise of all.
TEST(estimates, take_the_deviation_of_processes_within_sessions) {
  const std::vector<std::tuple<costs, double, double>> cases{
      {sessions_at({0, 0.5}), 0.0001, 0.0003},
      {{{0, 0.0002}, {0.1, 0.1002}, {0.3, 0.3002}}, 0, 0.001},
      {{{0, 0.0002}, {0.1}, {0.3, 0.3002}}, 0.05, 1},
      {{{0.1}, {0.2}, {0.3}}, 0.05, 0.25}};
  for (const auto& [before, least, most] : cases)
    for (const auto& benchmark : estimates_of(suite(before), {}, 1).benchmarks) {
      EXPECT_GT(std::sqrt(benchmark.process_variance), least);
      EXPECT_LT(std::sqrt(benchmark.process_variance), most);
    }
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
