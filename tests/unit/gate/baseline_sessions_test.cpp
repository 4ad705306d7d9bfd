#include "src/gate/judge/baseline_sessions.hpp"

#include <cmath>
#include <vector>

#include "src/gate/judge/estimate.hpp"
#include "src/statistics/location.hpp"
#include "tests/basics.hpp"
#include "tests/unit/gate/made_up_sessions.hpp"

namespace bench_transfers::gate::baseline_sessions_test {
namespace {

TEST(baseline_sessions, know_what_a_class_has_in_common_in_each_session) {
  EXPECT_THAT(
      common_of_sessions(suite(sessions_at({0, 0.01, 0.05}))),
      ElementsAre(DoubleNear(-0.02, 1e-12), DoubleNear(-0.01, 1e-12), DoubleNear(0.03, 1e-12)));
  auto unmeasured = sessions_at({0, 9, 0.02});
  unmeasured[1].clear();
  EXPECT_THAT(common_of_sessions(suite(unmeasured)),
              ElementsAre(DoubleNear(-0.01, 1e-12), 0, DoubleNear(0.01, 1e-12)));
  EXPECT_THAT(common_of_sessions(suite(sessions_at({0, 1}), 9)), testing::IsEmpty());
}

TEST(baseline_sessions, know_how_far_sessions_of_a_benchmark_are_apart_beyond_its_class) {
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
TEST(baseline_sessions, know_how_far_processes_alone_may_move_sessions) {
  const auto deviations = [](const costs& before) {
    const auto benchmark = estimates_of(suite(before), {}, 1).benchmarks[0];
    return benchmark.levels.apart_by_processes / std::sqrt(benchmark.process_variance);
  };
  EXPECT_NEAR(deviations({{0.1}, {0.2}, {0.3}}), 6, 1e-9);
  EXPECT_NEAR(deviations({std::vector<double>(10, 0), std::vector<double>(10, 0)}), 4, 1e-9);
  const double part = (1 + statistics::location_variance(3)) / 2;
  EXPECT_NEAR(deviations({{0.1}, {0.1, 0.2, 0.3}}), 6 * std::sqrt(part), 1e-9);
}

}  // namespace
}  // namespace bench_transfers::gate::baseline_sessions_test
