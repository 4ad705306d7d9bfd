#include <tuple>
#include <utility>

#include "tests/unit/gate/comparing.hpp"

namespace bench_transfers::gate::compare_classes_test {
namespace {

// Which processes must be slower.

TEST_F(comparing, tolerates_one_slow_process_of_forty_in_the_baseline) {
  for (const std::size_t processes_before : {39U, 40U}) {
    auto all = suite(100, 0.002);
    for (auto& benchmark : all) benchmark.before = {processes(processes_before, 0, 0.002)};
    all[4].before[0][7] = 0.5;
    slow_down(all[4], 0.2);
    const auto verdict = compare(all, {}).benchmarks[4].verdict;
    EXPECT_EQ(verdict == outcome::slower, processes_before == 40) << processes_before;
  }
}

// Classes.

TEST_F(comparing, keeps_the_noise_of_the_classes_apart) {
  auto all = suite(60, 0.0005);
  for (std::size_t i = 30; i < 60; ++i) {
    all[i].kind = benchmark_class::host;
    const double session = processes(1, 0, 0.05)[0];
    all[i].before = {processes(5, 0, 0.05), processes(5, 0, 0.05)};
    all[i].after = {processes(3, session, 0.05)};
  }
  slow_down(all[4], 0.03);
  const auto result = compare(all, {});
  EXPECT_EQ(result.benchmarks[4].verdict, outcome::slower);
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_LT(result.benchmarks[i].process_deviation, 0.002);
    EXPECT_LT(result.benchmarks[i].session_deviation, 0.002);
    EXPECT_EQ(result.benchmarks[i].verdict, i == 4 ? outcome::slower : outcome::unchanged);
  }
  for (std::size_t i = 30; i < 60; ++i) EXPECT_GT(result.benchmarks[i].process_deviation, 0.01);
}

TEST_F(comparing, shares_the_rate_of_false_alarms_among_classes_and_looks) {
  auto all = suite(60, 0.01);
  for (auto& value : all[4].after[0]) value += 0.05;
  const std::vector half(all.begin(), all.begin() + 30);
  const double alone = compare(half, {}).benchmarks[4].p;
  ASSERT_LT(alone, 0.1);
  EXPECT_NEAR(compare(half, {.looks = 3}).benchmarks[4].p, 3 * alone, 1e-9);
  EXPECT_DOUBLE_EQ(compare(half, {.looks = 100000}).benchmarks[4].p, 1);
  for (std::size_t i = 30; i < 60; ++i) all[i].kind = benchmark_class::host;
  EXPECT_NEAR(compare(all, {}).benchmarks[4].p, 2 * alone, 1e-9);
  EXPECT_NEAR(compare(all, {.looks = 3}).benchmarks[4].p, 6 * alone, 1e-9);
}

TEST_F(comparing, detects_less_where_the_rate_is_shared) {
  auto all = with_different_sessions(60);
  const std::vector half(all.begin(), all.begin() + 30);
  for (std::size_t i = 30; i < 60; ++i) all[i].kind = benchmark_class::host;
  const auto of = [](const std::vector<benchmark_judgement>& judgements) {
    return judgements.front().detectable;
  };
  // As if there were as many more benchmarks.
  EXPECT_NEAR(of(detectable(half, 3, {.looks = 2})), of(detectable(all, 3, {})), 1e-12);
  EXPECT_NEAR(of(detectable(half, 3, {.false_alarm = 0.005})), of(detectable(all, 3, {})), 1e-12);
  EXPECT_LT(of(detectable(half, 3, {})), of(detectable(all, 3, {})));
  EXPECT_NEAR(of(compare(half, {.looks = 2}).benchmarks), of(compare(all, {}).benchmarks), 1e-12);
  EXPECT_LT(of(compare(half, {}).benchmarks), of(compare(all, {}).benchmarks));
}

TEST_F(comparing, has_no_common_shift_for_fewer_than_ten_benchmarks) {
  auto all = suite(10, 0.001);
  for (auto& benchmark : all) slow_down(benchmark, 0.08);
  EXPECT_TRUE(compare(all, {}).classes.at(0).changed);
  EXPECT_EQ(compare(all, {}).classes.at(0).benchmarks, 10);
  all.pop_back();
  EXPECT_TRUE(compare(all, {}).classes.empty());
}

TEST_F(comparing, has_the_thresholds_of_its_classes) {
  auto all = suite(60, 0.001);
  for (auto& benchmark : all) slow_down(benchmark, 0.03);
  EXPECT_TRUE(compare(all, {}).classes.at(0).changed);
  for (auto& benchmark : all) benchmark.kind = benchmark_class::latency;
  EXPECT_FALSE(compare(all, {}).classes.at(0).changed);
  for (auto& benchmark : all) benchmark.kind = benchmark_class::host;
  EXPECT_TRUE(compare(all, {}).classes.at(0).changed);
}

// What a session may do.

/// Slower by 6 %, beside benchmarks that have a level of their own in one of the sessions.
TEST_F(comparing, is_unsure_where_sessions_move_other_benchmarks_as_far) {
  for (const auto& [sessions, others, apart, verdict] :
       {std::tuple{2U, 0U, 0.0, outcome::slower},
        {2, 1, 0.025, outcome::slower},  // less than half
        {2, 1, 0.033, outcome::ambiguous},
        {2, 1, 0.22, outcome::ambiguous},
        {2, 1, 0.25, outcome::slower},  // more than four times
        {6, 1, 0.05, outcome::ambiguous},
        {7, 1, 0.05, outcome::slower},  // one of 128 is less than 1 %
        {7, 2, 0.05, outcome::ambiguous}}) {
    auto all = suite(100, 0.0005);
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].before.clear();
      for (std::size_t s = 0; s < sessions; ++s)
        all[i].before.push_back(processes(5, s == 0 && i < others ? apart : 0, 0.0005));
    }
    slow_down(all[40], 0.06);
    EXPECT_EQ(compare(all, {}).benchmarks[40].verdict, verdict)
        << others << " by " << apart << " in one of " << sessions;
  }
}

/// A baseline of one session shows nothing of that. What got faster does; one may be an
/// improvement.
TEST_F(comparing, is_unsure_where_other_benchmarks_got_faster_as_far) {
  for (const auto& [others, faster, verdict] :
       {std::tuple{1U, 0.1, outcome::slower},
        {2, 0.029, outcome::slower},  // less than a third
        {2, 0.035, outcome::ambiguous},
        {2, 0.3, outcome::ambiguous},
        {2, 0.36, outcome::slower}}) {  // more than four times
    auto all = suite(100, 0.0005);
    for (auto& benchmark : all) benchmark.before = {processes(10, 0, 0.0005)};
    for (std::size_t i = 0; i < others; ++i) slow_down(all[i], -faster);
    slow_down(all[40], 0.1);
    EXPECT_EQ(compare(all, {}).benchmarks[40].verdict, verdict) << others << " by " << faster;
  }
}

/// From three thresholds of a class, or three of the usual ones.
TEST_F(comparing, needs_much_after_a_single_session) {
  for (const auto& [kind, threshold, slower, verdict] :
       {std::tuple{benchmark_class::link, 0.02, 0.058, outcome::ambiguous},
        {benchmark_class::link, 0.02, 0.063, outcome::slower},
        {benchmark_class::link, 0.01, 0.028, outcome::ambiguous},
        {benchmark_class::link, 0.01, 0.032, outcome::slower},
        {benchmark_class::link, 0.04, 0.058, outcome::ambiguous},
        {benchmark_class::link, 0.04, 0.063, outcome::slower},
        {benchmark_class::latency, 0.1, 0.147, outcome::ambiguous},
        {benchmark_class::latency, 0.1, 0.153, outcome::slower}}) {
    auto all = suite(100, 0.0002);
    for (auto& benchmark : all) {
      benchmark.kind = kind;
      benchmark.before = {processes(10, 0, 0.0002)};
    }
    slow_down(all[40], slower);
    const limits limits{.threshold = threshold, .latency_threshold = threshold};
    EXPECT_EQ(compare(all, limits).benchmarks[40].verdict, verdict) << threshold << ' ' << slower;
    for (auto& benchmark : all) benchmark.before = {benchmark.before[0], benchmark.before[0]};
    EXPECT_EQ(compare(all, limits).benchmarks[40].verdict, outcome::slower) << slower;
  }
}

// Classes that only veto.

TEST_F(comparing, vetoes_by_larger_thresholds) {
  for (const auto& [kind, slower, verdict] :
       {std::tuple{benchmark_class::link, 0.095, outcome::unchanged},
        {benchmark_class::link, 0.105, outcome::slower},
        {benchmark_class::host, 0.105, outcome::slower},
        {benchmark_class::latency, 0.145, outcome::unchanged},
        {benchmark_class::latency, 0.155, outcome::slower}}) {
    auto all = suite(60, 0.0002);
    for (auto& benchmark : all) {
      benchmark.kind = kind;
      benchmark.before = {{0, 0.0002, -0.0002}, {0, 0.0002, -0.0002}};
      benchmark.before.push_back(benchmark.before[0]);
    }
    slow_down(all[4], slower);
    EXPECT_EQ(compare(all, {.vetoing = {kind}}).benchmarks[4].verdict, verdict) << slower;
  }
}

/// Doubts that prevent a pass of a class that decides are none of one that vetoes.
TEST_F(comparing, does_not_veto_by_what_noise_or_sessions_may_explain) {
  auto all = suite(100, 0.0005);
  all[1].before[1] = processes(5, 0.2, 0.0005);
  const limits vetoing{.vetoing = {benchmark_class::link}};
  all[40].after = {{std::log1p(0.1) - 0.002, std::log1p(0.1) + 0.001, std::log1p(0.1) + 0.004}};
  EXPECT_EQ(compare(all, {.threshold = 0.1}).benchmarks[40].verdict, outcome::ambiguous);
  EXPECT_EQ(compare(all, vetoing).benchmarks[40].verdict, outcome::not_known);
  // They explain one or two, but not three, nor one whose lower bound is beyond the threshold.
  auto two = all;
  slow_down(two[0], 0.11);
  EXPECT_EQ(compare(two, vetoing).benchmarks[40].verdict, outcome::not_known);
  auto three = two;
  slow_down(three[41], 0.11);
  EXPECT_EQ(compare(three, vetoing).benchmarks[40].verdict, outcome::ambiguous);
  auto much = all;
  slow_down(much[40], 0.05);
  EXPECT_EQ(compare(much, vetoing).benchmarks[40].verdict, outcome::ambiguous);
  // One session does not show what sessions do.
  for (auto& benchmark : all) benchmark.before = {processes(10, 0, 0.0005)};
  for (const std::size_t i : {1, 2}) slow_down(all[i], -0.2);
  EXPECT_EQ(compare(all, vetoing).benchmarks[40].verdict, outcome::ambiguous);
}

}  // namespace
}  // namespace bench_transfers::gate::compare_classes_test
