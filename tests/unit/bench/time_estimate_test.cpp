#include "bench/harness/time_estimate.hpp"

#include "tests/basics.hpp"
#include "tests/unit/bench/fake_clock.hpp"
#include "tests/unit/bench/host_session.hpp"

namespace bench_transfers::bench::time_estimate_test {
namespace {

constexpr expected_work small{.bytes = 4, .repetitions = 10, .timed = 3ms};
constexpr expected_work large{.bytes = 1 << 20, .repetitions = 10, .timed = 3ms};

double left_in(const time_estimate& estimate) { return estimate.left().count(); }

TEST(time_estimate, is_not_known_before_anything_is_prepared) {
  time_estimate estimate;
  EXPECT_EQ(left_in(estimate), 0);
  estimate.expect(small);
  EXPECT_EQ(left_in(estimate), 0);
}

TEST(time_estimate, is_what_the_repetitions_take_when_all_are_prepared) {
  time_estimate estimate;
  estimate.expect(small);
  estimate.expect(large);
  estimate.prepared(small, 2ms, 10);
  estimate.prepared(large, 97ms, 10);
  EXPECT_NEAR(left_in(estimate), 10 * (0.005 + 0.100), 1e-9);
}

TEST(time_estimate, expects_the_cost_of_others_of_the_same_size) {
  time_estimate estimate;
  for (int i = 0; i < 2; ++i) {
    estimate.expect(small);
    estimate.expect(large);
  }
  estimate.prepared(small, 2ms, 10);
  estimate.prepared(large, 97ms, 10);
  EXPECT_NEAR(left_in(estimate), 20 * (0.005 + 0.100) + 0.002 + 0.097, 1e-9);
}

TEST(time_estimate, expects_the_mean_cost_of_all_where_no_size_is_the_same) {
  time_estimate estimate;
  for (const auto& work : {small, small, large}) estimate.expect(work);
  estimate.prepared(small, 2ms, 10);
  estimate.prepared(small, 4ms, 10);
  EXPECT_NEAR(left_in(estimate), 10 * (0.005 + 0.007) + 0.003 + 10 * (0.003 + 0.003), 1e-9);
}

TEST(time_estimate, expects_no_repetitions_of_what_has_failed) {
  time_estimate estimate;
  estimate.expect(small);
  estimate.expect(large);
  estimate.prepared(large, 97ms, 0);
  estimate.prepared(small, 2ms, 10);
  EXPECT_NEAR(left_in(estimate), 10 * 0.005, 1e-9);
}

class session_with_costs : public host_session {
 protected:
  session_with_costs() {
    only_added_strategies();
    chosen.min_time = 10us;
    chosen.own_sizes = true;
  }

  void add(const std::string& name, std::chrono::milliseconds preparation,
           std::chrono::milliseconds operation) {
    add_lasting(name, [=] {
      fake_clock::advance(preparation);
      return operation;
    });
  }

 private:
  fake_clock clock_;
};

TEST_F(session_with_costs, says_how_long_the_rounds_take_with_what_is_not_timed) {
  add("a/slow_to_prepare", 900ms, 100ms);
  add("a/slow", 0ms, 900ms);
  chosen.rounds = 5;
  const auto start = wall_clock::now();
  EXPECT_EQ(run_session().runs.size(), 10U);
  EXPECT_THAT(said(), HasSubstr("prepared in 2s; about 10s left\n"));
  const std::chrono::duration<double> whole = wall_clock::now() - start;
  EXPECT_NEAR(whole.count(), 1.9 + 9.5, 0.1);
}

TEST_F(session_with_costs, says_how_long_all_processes_take) {
  add("a/slow_to_prepare", 900ms, 100ms);
  add("a/slow", 0ms, 900ms);
  chosen.rounds = 15;
  chosen.process = {1, 3};
  EXPECT_EQ(run_session().runs.size(), 10U);
  EXPECT_THAT(said(), HasSubstr("prepared in 2s; about 33s left\n"));  // 9.5 s, and 2 × 11.4 s
}

TEST_F(session_with_costs, says_no_more_than_the_time_that_it_has) {
  add("a/slow", 0ms, 900ms);
  chosen.rounds = 50;
  chosen.max_time = 8s;
  run_session();
  EXPECT_THAT(said(), HasSubstr("prepared in 1s; about 8s left\n"));
}

}  // namespace
}  // namespace bench_transfers::bench::time_estimate_test
