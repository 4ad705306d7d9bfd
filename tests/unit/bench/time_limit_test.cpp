#include "bench/harness/time_limit.hpp"

#include <chrono>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/bench/fake_clock.hpp"
#include "tests/unit/bench/host_session.hpp"

namespace bench_transfers::bench::time_limit_test {
namespace {

using seconds = std::chrono::duration<double>;

TEST(time_limit, is_up_when_its_time_has_passed) {
  const fake_clock clock;
  const time_limit limit(10s);
  fake_clock::advance(9s);
  EXPECT_FALSE(limit.is_up());
  EXPECT_EQ(limit.at_most(1ms), seconds(1ms));
  EXPECT_THAT(limit.at_most(1h), AllOf(Gt(seconds(999ms)), Lt(seconds(1001ms))));
  fake_clock::advance(1s);
  EXPECT_TRUE(limit.is_up());
}

TEST(time_limit, has_half_of_what_is_left) {
  const fake_clock clock;
  const time_limit limit(10s);
  fake_clock::advance(4s);
  const auto half = limit.share(2);
  fake_clock::advance(2900ms);
  EXPECT_FALSE(half.is_up());
  fake_clock::advance(100ms);
  EXPECT_TRUE(half.is_up());
  EXPECT_FALSE(limit.is_up());
}

TEST(time_limit, without_a_time_is_never_up) {
  const fake_clock clock;
  const time_limit limit;
  fake_clock::advance(24h * 365);
  EXPECT_FALSE(limit.is_up());
  EXPECT_FALSE(limit.share(2).is_up());
  EXPECT_EQ(limit.at_most(2h), seconds(2h));
}

/// Sessions of benchmarks with known durations, by their own clock.
class limited_session : public host_session {
 protected:
  limited_session() {
    only_added_strategies();
    chosen.min_time = 10us;
    chosen.rounds = 5;
    chosen.own_sizes = true;
  }

  void add_many(int count, std::chrono::nanoseconds time) {
    for (int i = 0; i < count; ++i)
      add_lasting("a/" + std::to_string(100 + i), [=] { return time; });
  }

  [[nodiscard]] static std::set<std::string> names_in(const outcome& result) {
    const auto ran = names(result.runs);
    return {ran.begin(), ran.end()};
  }

 private:
  fake_clock clock_;
};

TEST_F(limited_session, of_enough_time_leaves_nothing_out) {
  add_many(3, 1ms);
  chosen.max_time = 1h;
  const auto result = run_session();
  EXPECT_TRUE(result.by_time.empty());
  EXPECT_EQ(result.runs.size(), 15U);
}

TEST_F(limited_session, ends_between_rounds_and_says_which_have_fewer_repetitions) {
  chosen.rounds = 1000;
  add_many(2, 1ms);
  chosen.max_time = 100ms;
  const auto result = run_session();
  EXPECT_THAT(result.by_time.left_out, IsEmpty());
  EXPECT_THAT(result.by_time.shortened, ElementsAre("a/100/4KiB", "a/101/4KiB"));
  EXPECT_THAT(result.by_time.unstable, IsEmpty());
  EXPECT_THAT(result.runs.size(), AllOf(Gt(2U), Lt(200U)));
  EXPECT_EQ(rows.content().at("benchmarks").size(), result.runs.size());
  EXPECT_EQ(result.signal, 0);
}

TEST_F(limited_session, measures_those_that_it_can_prepare_in_half_of_the_time) {
  add_many(40, 1ms);
  chosen.max_time = 40ms;
  const auto result = run_session();
  const auto measured = names_in(result);
  EXPECT_THAT(measured, Not(IsEmpty()));
  EXPECT_THAT(result.by_time.left_out, Not(IsEmpty()));
  for (const auto& name : result.by_time.left_out) EXPECT_FALSE(measured.contains(name)) << name;
  EXPECT_EQ(measured.size() + result.by_time.left_out.size(), planned.cases.size());
  for (const auto& name : result.by_time.shortened) EXPECT_TRUE(measured.contains(name)) << name;
}

TEST_F(limited_session, measures_the_others_afterwards_if_there_is_time) {
  std::vector<std::shared_ptr<bool>> is_prepared;
  for (int i = 0; i < 10; ++i) {
    const auto first = is_prepared.emplace_back(std::make_shared<bool>(false));
    add_lasting("a/" + std::to_string(100 + i), [first]() -> std::chrono::nanoseconds {
      return std::exchange(*first, true) ? 1us : 10ms;
    });
  }
  const auto start = wall_clock::now();
  EXPECT_EQ(run_session().runs.size(), 50U);
  const auto whole = wall_clock::now() - start;
  for (const auto& first : is_prepared) *first = false;
  chosen.max_time = whole * 3 / 2;  // half of it is too short to prepare all
  const auto result = run_session();
  EXPECT_TRUE(result.by_time.empty());
  EXPECT_EQ(result.runs.size(), 50U);
}

TEST_F(limited_session, says_what_is_not_repeated_until_it_is_stable) {
  const auto calls = std::make_shared<int>(0);
  add_lasting("a/unstable", [calls]() -> std::chrono::nanoseconds {
    return ++*calls % 2 == 0 ? 5ms : 50ms;
  }).sampling.until_stable = true;
  chosen.rounds = 1000;
  chosen.max_time = 300ms;
  const auto result = run_session();
  EXPECT_THAT(result.by_time.unstable, ElementsAre("a/unstable/4KiB"));
  EXPECT_THAT(result.by_time.shortened, IsEmpty());
  EXPECT_THAT(result.runs, Not(IsEmpty()));
}

TEST_F(limited_session, that_has_no_time_leaves_all_out) {
  add_many(2, 1ms);
  chosen.max_time = 1ns;
  const auto result = run_session();
  EXPECT_THAT(result.by_time.left_out, ElementsAre("a/100/4KiB", "a/101/4KiB"));
  EXPECT_THAT(result.runs, IsEmpty());
}

TEST_F(limited_session, names_what_was_set_aside_before) {
  add_many(3, 1ms);
  chosen.max_time = 1h;
  change_plan = [](plan& plan) {
    plan.cases.back().earlier.add(0, 1e6, {});
    for (int i = 0; i < 2; ++i) {
      plan.set_aside.push_back(plan.cases.back());
      plan.cases.pop_back();
    }
  };
  const auto result = run_session();
  EXPECT_EQ(result.runs.size(), 5U);
  EXPECT_THAT(result.by_time.left_out, ElementsAre("a/101/4KiB"));
  EXPECT_THAT(result.by_time.shortened, ElementsAre("a/102/4KiB"));
}

TEST_F(limited_session, reports_failures_of_which_no_round_has_come) {
  add_lasting("a/broken", []() -> std::chrono::nanoseconds {
    fake_clock::advance(1h);
    throw std::runtime_error("broken on purpose");
  });
  add_many(1, 1ms);
  chosen.max_time = 1s;
  const auto result = run_session();
  EXPECT_THAT(by_name(result.failures), ElementsAre(Pair("a/broken/4KiB", "broken on purpose")));
  EXPECT_THAT(result.by_time.left_out, ElementsAre("a/100/4KiB"));
  ASSERT_EQ(rows.content().at("benchmarks").size(), 1U);
  EXPECT_EQ(rows.content().at("benchmarks").front().at("error_code"), "other");
}

}  // namespace
}  // namespace bench_transfers::bench::time_limit_test
