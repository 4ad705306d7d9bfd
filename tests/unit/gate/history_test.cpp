#include "src/gate/judge/history.hpp"

#include <random>
#include <string>
#include <vector>

#include "src/gate/judge/lineage.hpp"
#include "src/gate/model/bad_input.hpp"
#include "src/gate/model/pin.hpp"
#include "tests/basics.hpp"
#include "tests/unit/gate/made_up_runs.hpp"

namespace bench_transfers::gate::history_test {
namespace {

constexpr int benchmarks = 12;

/// Sessions of three runs, a day apart, of benchmarks that take this many times as long.
class days {
 public:
  std::vector<run> next(double factor, int slowed = benchmarks) {
    std::vector<run> runs;
    const double session = 1 + noise(0.001);
    for (int i = 0; i < 3; ++i) {
      auto run = made_up(number_++);
      run.started = noon + day_ * 24h + std::chrono::minutes(i);
      run.benchmarks.clear();
      for (int b = 0; b < benchmarks; ++b)
        run.benchmarks["x/" + std::to_string(b)] = {
            {1e6 * (b + 1) * session * (1 + noise(0.001)) * (b < slowed ? factor : 1)}, 0, {}};
      runs.push_back(std::move(run));
    }
    ++day_;
    return runs;
  }

  std::vector<run> next(std::initializer_list<double> factors, int slowed = benchmarks) {
    std::vector<run> all;
    for (const double factor : factors)
      for (auto& run : next(factor, slowed)) all.push_back(std::move(run));
    return all;
  }

 private:
  double noise(double deviation) { return std::normal_distribution<double>(0, deviation)(random_); }

  std::mt19937_64 random_{1};
  int number_ = 0, day_ = 0;
};

/// Those that follow a baseline of two sessions.
struct later_days : days {
  history_answer then(std::initializer_list<double> factors, int slowed = benchmarks) {
    return history_of(line, next(factors, slowed), {});
  }

  baseline line = pin(next({1, 1}), {}).baseline;
};

TEST(history, passes_where_nothing_has_changed) {
  const auto answer = later_days().then({1, 1, 1, 1, 1, 1});
  EXPECT_EQ(answer.code(), exit_code::pass);
  EXPECT_EQ(answer.sessions.size(), 8U);
  EXPECT_TRUE(answer.sessions[1].of_baseline);
  EXPECT_FALSE(answer.sessions[2].of_baseline);
  for (const auto* all : {&answer.classes, &answer.benchmarks})
    for (const auto& one : *all) EXPECT_TRUE(one.steps.empty()) << one.name;
}

TEST(history, names_each_step_and_their_sum) {
  const auto answer = later_days().then({1, 1.018, 1.018, 1.018, 1.036, 1.036, 1.036});
  EXPECT_EQ(answer.code(), exit_code::regression);
  ASSERT_EQ(answer.classes.size(), 1U);
  const auto& whole = answer.classes.front();
  EXPECT_TRUE(whole.has_crept);
  EXPECT_NEAR(whole.sum, 0.036, 0.003);
  ASSERT_EQ(whole.steps.size(), 2U);
  EXPECT_EQ(whole.steps[0].session, 3U);
  EXPECT_EQ(whole.steps[1].session, 6U);
  EXPECT_NEAR(whole.steps[0].shift, 0.018, 0.003);
  for (const auto& one : answer.benchmarks) EXPECT_TRUE(one.has_crept) << one.name;
}

TEST(history, is_red_only_beyond_the_threshold) {
  const auto code_of = [](double factor, const question& question) {
    later_days days;
    const auto runs = days.next({1, factor, factor, factor, factor});
    return history_of(days.line, runs, question).code();
  };
  EXPECT_EQ(code_of(1.019, {}), exit_code::pass);
  EXPECT_EQ(code_of(1.03, {}), exit_code::regression);
  EXPECT_EQ(code_of(0.9, {}), exit_code::pass);
  question wider;
  wider.limits.threshold = 0.05;
  EXPECT_EQ(code_of(1.03, wider), exit_code::pass);
  EXPECT_EQ(code_of(1.07, wider), exit_code::regression);
}

TEST(history, finds_what_few_benchmarks_do) {
  const auto answer = later_days().then({1, 1, 1.04, 1.04, 1.04}, 2);
  EXPECT_EQ(answer.code(), exit_code::regression);
  EXPECT_FALSE(answer.classes.front().has_crept);
  EXPECT_TRUE(answer.benchmarks[0].has_crept);
  EXPECT_TRUE(answer.benchmarks[1].has_crept);
  EXPECT_FALSE(answer.benchmarks[2].has_crept);
}

TEST(history, of_a_line_of_baselines_is_against_the_first) {
  later_days days;
  for (const double factor : {1.018, 1.036, 1.054}) {
    auto next = pin(days.next({factor, factor}), {}).baseline;
    continue_line(days.line, next);
    days.line = std::move(next);
  }
  const auto answer = days.then({1.054, 1.054});
  EXPECT_TRUE(answer.has_first);
  EXPECT_EQ(answer.code(), exit_code::regression);
  EXPECT_NEAR(answer.classes.front().sum, 0.0526, 0.003);
  const auto crept = crept_classes(days.line, {});
  ASSERT_EQ(crept.size(), 1U);
  EXPECT_NEAR(crept.front().slowdown, 0.054, 0.003);
}

TEST(history, counts_runs_of_the_baseline_once_and_needs_four_sessions) {
  days days;
  const auto before = days.next({1, 1.5});
  const auto line = pin(before, {}).baseline;
  EXPECT_EQ(history_of(line, before, {}).sessions[0].runs, 3U);
  EXPECT_EQ(history_of(line, before, {}).code(), exit_code::inconclusive);
  EXPECT_EQ(history_of(line, {}, {}).code(), exit_code::inconclusive);
  EXPECT_EQ(history_of(line, days.next(1), {}).code(), exit_code::inconclusive);
  auto twice = days.next(1);
  twice.push_back(twice.front());
  EXPECT_THROW(history_of(line, twice, {}), bad_input);
}

TEST(history, says_where_something_else_has_changed) {
  later_days days;
  auto runs = days.next({1, 1, 1});
  for (std::size_t i = 3; i < runs.size(); ++i) runs[i].machine[0].second = "8";
  const auto answer = history_of(days.line, runs, {});
  EXPECT_TRUE(answer.sessions[2].changed.empty());
  EXPECT_THAT(answer.sessions[3].changed, ElementsAre("link.width"));
}

TEST(history, is_decided_by_the_classes_asked_for) {
  later_days days;
  question by_link;
  by_link.decide_by = {benchmark_class::link};
  EXPECT_THROW(history_of(days.line, days.next({1, 1}), by_link), bad_input);
  question by_other;
  by_other.decide_by = {benchmark_class::other};
  EXPECT_EQ(history_of(days.line, days.next({1.1, 1.1, 1.1}), by_other).code(),
            exit_code::regression);
}

}  // namespace
}  // namespace bench_transfers::gate::history_test
