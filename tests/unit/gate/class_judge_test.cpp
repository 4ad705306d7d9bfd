#include "src/gate/judge/class_judge.hpp"

#include <gtest/gtest.h>

#include "tests/unit/gate/made_up_estimates.hpp"

namespace bench_transfers::gate::class_judge_test {
namespace {

/// A class of which the first benchmark is judged: its estimate is made by hand.
class class_verdict : public testing::Test {
 protected:
  [[nodiscard]] benchmark_judgement judged() const {
    return class_judge(all, limits, 1).judgement(0);
  }
  [[nodiscard]] outcome verdict() const { return judged().verdict; }
  /// The standard error of the shift, as a part of it, at which the benchmark is an alarm at this
  /// multiple of the rate of false alarms.
  void make_p(double multiple) {
    const auto p = multiple * limits.false_alarm / static_cast<double>(all.benchmarks.size());
    const auto t = std::sqrt(2) * inverse_erfc(2 * p);
    judged_one.process_variance = std::pow(judged_one.least_slowdown() / t, 2) / 0.4;
    judged_one.process_degrees = 1e6;
  }

  class_estimates all = made_up_class(4);
  estimate& judged_one = all.benchmarks[0];
  gate::limits limits;

 private:
  static double inverse_erfc(double value) {
    double low = 0;
    double high = 6;
    while (high - low > 1e-9) {
      const auto middle = (low + high) / 2;
      (std::erfc(middle) > value ? low : high) = middle;
    }
    return low;
  }
};

TEST_F(class_verdict, is_unchanged_below_the_threshold) {
  EXPECT_EQ(verdict(), outcome::unchanged);
  slow_down(judged_one, 0.015);
  EXPECT_LT(judged().p, limits.false_alarm);
  EXPECT_EQ(verdict(), outcome::unchanged);
  slow_down(judged_one, 0.004);
  EXPECT_EQ(verdict(), outcome::ambiguous) << "may reach the threshold";
}

TEST_F(class_verdict, is_slower_beyond_the_threshold) {
  slow_down(judged_one, 0.03);
  EXPECT_EQ(verdict(), outcome::slower);
}

TEST_F(class_verdict, is_ambiguous_up_to_three_times_the_rate_of_false_alarms) {
  slow_down(judged_one, 0.03);
  judged_one.after = {1, 1, 1};
  make_p(0.9);
  EXPECT_EQ(verdict(), outcome::slower);
  make_p(1.1);
  EXPECT_EQ(verdict(), outcome::ambiguous);
  make_p(2.9);
  EXPECT_EQ(verdict(), outcome::ambiguous);
  make_p(3.1);
  judged_one.after = made_up_estimate().after;
  EXPECT_EQ(verdict(), outcome::not_known);
}

TEST_F(class_verdict, is_not_slower_where_the_environment_has_changed) {
  slow_down(judged_one, 0.03);
  all.shared = common_shift{.changed = true};
  EXPECT_EQ(verdict(), outcome::ambiguous);
}

TEST_F(class_verdict, is_not_slower_if_a_process_is_as_fast_as_before) {
  slow_down(judged_one, 0.03);
  judged_one.after[0] = 0;
  EXPECT_EQ(verdict(), outcome::ambiguous);
}

TEST_F(class_verdict, needs_several_usual_thresholds_after_a_single_session) {
  judged_one.sessions = 1;
  slow_down(judged_one, 0.055);
  EXPECT_EQ(verdict(), outcome::ambiguous);
  slow_down(judged_one, 0.005);
  EXPECT_EQ(verdict(), outcome::slower);
  judged_one.threshold = std::log1p(0.03);
  EXPECT_EQ(verdict(), outcome::slower) << "a larger threshold than usual allows no more";
  judged_one = made_up_estimate();
  judged_one.sessions = 1;
  slow_down(judged_one, 0.035);
  judged_one.threshold = std::log1p(0.01);
  EXPECT_EQ(verdict(), outcome::slower) << "several of a smaller one are less";
}

TEST_F(class_verdict, is_not_slower_where_sessions_move_others_as_far) {
  slow_down(judged_one, 0.03);
  all.benchmarks[1].levels = {.apart = 0.03, .apart_by_processes = 0.01};
  EXPECT_EQ(verdict(), outcome::ambiguous);
}

TEST_F(class_verdict, is_ambiguous_if_only_the_class_brings_it_beyond_the_threshold) {
  slow_down(judged_one, 0.025);
  judged_one.common = 0.02;
  EXPECT_EQ(verdict(), outcome::ambiguous);
  limits.vetoing = {benchmark_class::link};
  EXPECT_EQ(verdict(), outcome::ambiguous);
  judged_one.process_variance = 1e-3;
  EXPECT_EQ(verdict(), outcome::not_known);
}

TEST_F(class_verdict, is_ambiguous_if_chance_alone_does_not_explain_several_thresholds) {
  all = made_up_class(20);
  slow_down(all.benchmarks[0], 0.07);
  all.benchmarks[0].process_variance = 0.003;  // its p alone is 2.4 %
  EXPECT_EQ(verdict(), outcome::ambiguous);
  all.benchmarks[0].process_variance = 0.006;
  EXPECT_EQ(verdict(), outcome::not_known);
}

/// Whatever the sessions of the baseline, or of others, seem to explain.
TEST_F(class_verdict, is_ambiguous_if_most_processes_are_slower_than_all_before) {
  slow_down(judged_one, 0.03);
  judged_one.session = {.variance = 0.1, .degrees = 1};
  judged_one.session_part = 1;
  EXPECT_EQ(verdict(), outcome::ambiguous);
  limits.vetoing = {benchmark_class::link};
  EXPECT_EQ(verdict(), outcome::ambiguous);
  judged_one.after[0] = 0;
  EXPECT_EQ(verdict(), outcome::ambiguous);
  judged_one.after[1] = 0;
  EXPECT_EQ(verdict(), outcome::not_known);
  judged_one = made_up_estimate();
  slow_down(judged_one, 0.03);
  judged_one.session_part = 1;
  judged_one.session = {.variance = 0.1, .degrees = 1};
  judged_one.process_variance = 3e-4;  // twice their deviation is 3.5 %
  EXPECT_EQ(verdict(), outcome::not_known);
}

TEST_F(class_verdict, is_faster_beyond_the_threshold) {
  slow_down(judged_one, -0.03);
  EXPECT_EQ(verdict(), outcome::faster);
  judged_one.common = -0.02;
  EXPECT_EQ(verdict(), outcome::unchanged) << "with its class";
}

TEST_F(class_verdict, is_not_faster_by_what_chance_explains) {
  slow_down(judged_one, -0.03);
  judged_one.process_variance = 1e-3;
  EXPECT_EQ(verdict(), outcome::unchanged);
}

TEST_F(class_verdict, is_ambiguous_if_it_is_slower_by_more_than_its_noise_should_show) {
  all = made_up_class(20);
  auto& of_many = all.benchmarks[0];
  slow_down(of_many, 0.02);
  of_many.process_variance = 1.5e-4;
  EXPECT_EQ(verdict(), outcome::ambiguous);
  of_many.process_variance = 2e-4;
  EXPECT_EQ(verdict(), outcome::not_known);
}

TEST_F(class_verdict, is_not_known_where_noise_hides_the_threshold) {
  judged_one.process_variance = 1e-3;
  EXPECT_EQ(verdict(), outcome::not_known);
}

TEST_F(class_verdict, is_of_processes_that_a_later_look_sees_again) {
  const double slow = 0.3;
  judged_one.looks = {{0, 0, slow}};
  EXPECT_EQ(judged().sighting, sighting::open);
  EXPECT_EQ(verdict(), outcome::ambiguous);
  judged_one.looks = {{0, 0, slow}, {0, 0, 0}};
  EXPECT_EQ(judged().sighting, sighting::cleared);
  EXPECT_EQ(verdict(), outcome::unchanged);
  judged_one.looks = {{0, 0, slow}, {slow, slow, slow}};
  EXPECT_EQ(judged().slow_processes, 4);
  judged_one.after = {0, 0, slow, slow, slow, slow};
  limits.false_alarm = 0.02;
  EXPECT_EQ(judged().sighting, sighting::again);
  EXPECT_EQ(verdict(), outcome::slower);
}

TEST_F(class_verdict, vetoes_only_what_is_beyond_the_threshold_beyond_doubt) {
  limits.vetoing = {benchmark_class::link};
  slow_down(judged_one, 0.05);
  EXPECT_EQ(verdict(), outcome::slower);
  judged_one.sessions = 1;
  EXPECT_EQ(verdict(), outcome::slower);
  slow_down(judged_one, -0.029);
  EXPECT_EQ(verdict(), outcome::ambiguous);
}

TEST_F(class_verdict, vetoes_nothing_that_sessions_may_explain) {
  limits.vetoing = {benchmark_class::link};
  slow_down(judged_one, 0.021);
  all.benchmarks[1].levels = {.apart = 0.03, .apart_by_processes = 0.01};
  EXPECT_EQ(verdict(), outcome::not_known);
  limits.vetoing = {};
  EXPECT_EQ(verdict(), outcome::ambiguous) << "it decides";
  limits.vetoing = {benchmark_class::link};
  slow_down(judged_one, 0.01);
  EXPECT_EQ(verdict(), outcome::ambiguous) << "beyond the threshold beyond doubt";
  slow_down(judged_one, -0.01);
  judged_one.sessions = 1;
  for (const std::size_t other : {1, 2}) slow_down(all.benchmarks[other], -0.02);
  EXPECT_EQ(verdict(), outcome::ambiguous) << "a single session tells nothing of sessions";
}

TEST_F(class_verdict, vetoes_nothing_that_may_only_reach_the_threshold) {
  slow_down(judged_one, 0.019);
  EXPECT_EQ(verdict(), outcome::ambiguous);
  limits.vetoing = {benchmark_class::link};
  EXPECT_EQ(verdict(), outcome::not_known);
}

TEST_F(class_verdict, adjusts_p_for_the_class_and_the_families) {
  slow_down(judged_one, 0.001);
  const auto p = judged().p;
  all.benchmarks.push_back(made_up_estimate());
  EXPECT_NEAR(class_judge(all, limits, 1).judgement(0).p, p * 5 / 4, 1e-9);
  EXPECT_NEAR(class_judge(all, limits, 2).judgement(0).p, p * 5 / 2, 1e-9);
}

}  // namespace
}  // namespace bench_transfers::gate::class_judge_test
