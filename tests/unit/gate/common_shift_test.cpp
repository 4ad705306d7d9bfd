#include "src/gate/judge/common_shift.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "src/statistics/distributions.hpp"
#include "tests/unit/gate/made_up_sessions.hpp"

namespace bench_transfers::gate::common_shift_test {
namespace {

double quantile_of_t(double degrees, double probability) {
  return statistics::students_t{degrees}.quantile(probability);
}

TEST(common_shift, explain_common_shifts_by_three_sessions_or_more) {
  EXPECT_EQ(estimates_of(suite(sessions_at({0, 0.02})), {}, 1).shared->explained, 0);
  // The 99.5 % quantile of Student's t with two degrees of freedom (Abramowitz and Stegun, table
  // 26.10), times the deviation of one more session.
  const double variance = (0.02 * 0.02 + 0.01 * 0.01 + 0.03 * 0.03) / 2;
  EXPECT_NEAR(estimates_of(suite(sessions_at({0, 0.01, 0.05})), {}, 1).shared->explained,
              9.925 * std::sqrt(variance * (1 + 1.0 / 3)), 1e-4);
}

/// The assumption weighs as much as eight sessions more than the baseline has.
TEST(common_shift, have_a_lower_bound_of_the_common_shift) {
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

TEST(common_shift, tell_classes_that_are_slower_from_those_that_may_be) {
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
TEST(common_shift, know_that_a_quarter_of_a_class_is_slower) {
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

TEST(common_shift, bound_how_far_sessions_move_a_class) {
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

}  // namespace
}  // namespace bench_transfers::gate::common_shift_test
