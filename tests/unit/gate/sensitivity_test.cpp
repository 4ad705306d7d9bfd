#include "src/gate/judge/sensitivity.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "src/gate/judge/session_moves.hpp"
#include "tests/unit/gate/made_up_estimates.hpp"

namespace bench_transfers::gate::sensitivity_test {
namespace {

TEST(every_process_slower, wants_the_farthest_of_three_distances) {
  auto benchmark = made_up_estimate();
  const auto least = [&] { return every_process_slower(benchmark, 3).least(); };
  EXPECT_DOUBLE_EQ(least(), benchmark.threshold);
  benchmark.process_variance = 1e-4;  // 2.5 deviations from the centre
  EXPECT_NEAR(least(), 0.025 * std::sqrt(1.1), 0.001);
  benchmark.before.back() = 0.05;  // 2 deviations from the slowest
  EXPECT_DOUBLE_EQ(least(), 0.07);
  benchmark.centre = 0.01;
  EXPECT_DOUBLE_EQ(least(), 0.06);
}

TEST(every_process_slower, counts_what_the_class_has_in_common_only_if_it_got_slower) {
  auto benchmark = made_up_estimate();
  benchmark.common = -0.1;
  EXPECT_DOUBLE_EQ(every_process_slower(benchmark, 3).least(), benchmark.threshold);
  benchmark.common = 0.1;
  EXPECT_DOUBLE_EQ(every_process_slower(benchmark, 3).least(), 0.1 + benchmark.threshold);
}

TEST(every_process_slower, tolerates_one_of_three_beyond_the_third) {
  auto benchmark = made_up_estimate();
  benchmark.after = {0, 0.1, 0.1, 0.1, 0.1, 0.1};
  EXPECT_TRUE(every_process_slower(benchmark, 6).holds_for(benchmark));
  EXPECT_FALSE(every_process_slower(benchmark, 5).holds_for(benchmark));
  EXPECT_EQ(every_process_slower(benchmark, 9).tolerated(), 2);
}

/// By the noise of processes alone, which do not matter in the other.
TEST(detectable_shift, is_by_the_centre_or_by_every_process) {
  auto benchmark = made_up_estimate();
  const auto detectable = [&](double power) {
    return detectable_shift(benchmark, {3, 0.001}, power);
  };
  // Three processes exceed a distance with 80 % if each does with the third root of 80 %.
  EXPECT_NEAR(detectable(0.80), benchmark.threshold + 0.001 * 1.463376, 1e-6);
  EXPECT_NEAR(detectable(0.95), benchmark.threshold + 0.001 * 2.121201, 1e-6);
  const auto judged = judgement_without_verdict(benchmark, {3, 0.001});
  EXPECT_EQ(judged.detectable, detectable(0.80));
  EXPECT_EQ(judged.detectable_surely, detectable(0.95));
  benchmark.session = {1e-2, 1000};
  benchmark.session_part = 1;
  // The quantile of 1 - 0.001 of Student's t, and that of 80 % of the normal distribution.
  EXPECT_NEAR(detectable(0.80), 0.1 * (3.098402 + 0.841621), 1e-4);
}

TEST(bounds, are_at_distances_of_the_standard_error) {
  auto benchmark = made_up_estimate();
  benchmark.process_degrees = 1e9;
  slow_down(benchmark, 0.01);
  benchmark.common = 0.004;
  const auto error = benchmark.standard_error();
  const auto bounds = bounds_of(benchmark, {3, 0.001});
  EXPECT_NEAR(bounds.at_most, 0.01 + 1.644854 * error, 1e-8);
  EXPECT_NEAR(bounds.at_least, 0.006 - 3.090232 * error, 1e-8);
  EXPECT_NEAR(bounds.resolution, (1.644854 + 0.841621) * error, 1e-8);
  EXPECT_EQ(bounds.detectable, 0);
  benchmark.common_bound = 0.01;
  EXPECT_NEAR(bounds_of(benchmark, {3, 0.001}).at_most, 0.01 + std::hypot(1.644854 * error, 0.01),
              1e-8);
}

class moved : public testing::Test {
 protected:
  moved() { slow_down(benchmarks[0], 0.04); }
  [[nodiscard]] double unseen() const { return moved_unseen(benchmarks[0], benchmarks); }
  std::vector<estimate> benchmarks = made_up_class(6).benchmarks;
};

TEST_F(moved, benchmarks_are_those_whose_sessions_are_apart_by_about_as_much) {
  benchmarks[0].levels = {.apart = 0.04, .apart_by_processes = 0.01};  // not itself
  benchmarks[1].levels = {.apart = 0.021, .apart_by_processes = 0.01};
  benchmarks[2].levels = {.apart = 0.159, .apart_by_processes = 0.01};
  EXPECT_DOUBLE_EQ(unseen(), 2 * 0.25);
  benchmarks[3].levels = {.apart = 0.019, .apart_by_processes = 0.01};
  benchmarks[4].levels = {.apart = 0.161, .apart_by_processes = 0.01};
  benchmarks[5].levels = {.apart = 0.04, .apart_by_processes = 0.05};  // by processes
  EXPECT_DOUBLE_EQ(unseen(), 2 * 0.25);
}

TEST_F(moved, benchmarks_are_less_likely_to_do_so_unseen_in_more_sessions) {
  benchmarks[1].levels = {.apart = 0.04, .apart_by_processes = 0.01};
  benchmarks[0].sessions = 4;
  EXPECT_DOUBLE_EQ(unseen(), 0.0625);
}

TEST_F(moved, benchmarks_of_a_single_session_are_those_that_got_faster_but_one) {
  benchmarks[0].sessions = 1;
  slow_down(benchmarks[1], -0.014);
  EXPECT_DOUBLE_EQ(unseen(), 0);
  slow_down(benchmarks[2], -0.159);
  EXPECT_DOUBLE_EQ(unseen(), 0.5);
  slow_down(benchmarks[3], -0.013);
  slow_down(benchmarks[4], -0.161);
  EXPECT_DOUBLE_EQ(unseen(), 0.5);
}

TEST(as_many_as_expected, are_not_unlikely) {
  EXPECT_FALSE(may_be_as_many(0, 1, 0.01));
  // Two or more of a Poisson distribution with the mean 0.2: 1.75 %.
  EXPECT_TRUE(may_be_as_many(0.2, 2, 0.017));
  EXPECT_FALSE(may_be_as_many(0.2, 2, 0.018));
}

}  // namespace
}  // namespace bench_transfers::gate::sensitivity_test
