#include "src/gate/judge/estimate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

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

}  // namespace
}  // namespace bench_transfers::gate::estimate_test
