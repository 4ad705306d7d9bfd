#include "src/gate/judge/lineage.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "src/gate/model/pin.hpp"
#include "tests/unit/gate/made_up_runs.hpp"

namespace bench_transfers::gate::lineage_test {
namespace {

using namespace std::chrono_literals;

constexpr double ms = 1e6;

/// A baseline of one benchmark from runs with these times, a day each.
baseline pinned(const std::vector<double>& times, const metric& judged_by = {}) {
  std::vector<run> runs;
  for (const double time : times) {
    const auto number = static_cast<int>(runs.size());
    runs.push_back(made_up(number, {time}));
    *runs.back().started += 24h * number;
  }
  return pin(runs, judged_by).baseline;
}

baseline pinned(double time, const metric& judged_by = {}) {
  return pinned(std::vector(4, time), judged_by);
}

std::optional<double> reference_in(const baseline& baseline) {
  return baseline.benchmarks.at("copy").reference;
}

// The reference.

TEST(lines_of_baselines, keep_the_centres_of_the_first) {
  const auto first = pinned(ms);
  auto second = pinned(1.01 * ms);
  continue_line(first, second);
  ASSERT_TRUE(reference_in(second));
  EXPECT_NEAR(*reference_in(second), ms, 1);
  auto third = pinned(1.02 * ms);
  continue_line(second, third);
  EXPECT_NEAR(*reference_in(third), ms, 1);
}

TEST(lines_of_baselines, begin_for_each_benchmark_where_it_is_new) {
  const auto first = pinned(ms);
  auto second = pinned(ms);
  second.benchmarks["new"] = second.benchmarks.at("copy");
  continue_line(first, second);
  EXPECT_TRUE(reference_in(second));
  EXPECT_EQ(second.benchmarks.at("new").reference, std::nullopt);
}

TEST(lines_of_baselines, do_not_go_on_where_figures_are_of_another_kind) {
  const auto first = pinned(ms);
  using change = void (*)(baseline&);
  const std::vector<change> changes{
      [](baseline&) {},
      [](baseline& next) { next.judged_by.key = "cpu_time"; },
      [](baseline& next) { next.judged_by.fastest_repetition = true; },
      [](baseline& next) { next.judged_by.more_is_better = true; },
      [](baseline& next) { next.on_host = true; },
      [](baseline& next) { next.ours = false; }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    auto next = pinned(1.1 * ms);
    changes[i](next);
    continue_line(first, next);
    EXPECT_EQ(reference_in(next).has_value(), i == 0) << i;
    EXPECT_EQ(slower_than(first, next, {}).count, i == 0 ? 1 : 0) << i;
  }
}

// Slower than before.

TEST(lines_of_baselines, tell_what_is_slower_by_more_than_the_threshold) {
  const auto before = pinned(ms);
  EXPECT_EQ(slower_than(before, pinned(1.019 * ms), {}).count, 0);
  const auto slower = slower_than(before, pinned(1.021 * ms), {});
  EXPECT_EQ(slower.count, 1);
  EXPECT_EQ(slower.worst, "copy");
  EXPECT_NEAR(slower.slowdown, 0.021, 1e-6);
  EXPECT_EQ(slower_than(before, pinned(0.5 * ms), {}).count, 0);
  EXPECT_EQ(slower_than(before, pinned(1.04 * ms), {.threshold = 0.05}).count, 0);
  // Of latencies.
  EXPECT_EQ(slower_than(pinned(6000), pinned(6000 * 1.04), {}).count, 0);
  EXPECT_EQ(slower_than(pinned(6000), pinned(6000 * 1.06), {}).count, 1);
  // Of rates.
  const auto rate = metric::named("gb_per_s");
  EXPECT_EQ(slower_than(pinned(50, rate), pinned(45, rate), {}).count, 1);
  EXPECT_EQ(slower_than(pinned(50, rate), pinned(55, rate), {}).count, 0);
  // In three of four processes.
  EXPECT_EQ(slower_than(before, pinned({0.99 * ms, 1.1 * ms, 1.1 * ms, 1.1 * ms}), {}).count, 1);
  EXPECT_EQ(slower_than(before, pinned({0.99 * ms, 0.99 * ms, 1.1 * ms, 1.2 * ms}), {}).count, 0);
}

TEST(lines_of_baselines, tell_the_worst) {
  auto before = pinned(ms);
  auto next = pinned(1.05 * ms);
  for (const auto* name : {"a", "z"}) {
    before.benchmarks[name] = before.benchmarks.at("copy");
    next.benchmarks[name] = next.benchmarks.at("copy");
  }
  next.benchmarks["b"] = pinned(2 * ms).benchmarks.at("copy");
  before.benchmarks["b"] = before.benchmarks.at("copy");
  next.benchmarks["only here"] = next.benchmarks.at("b");
  const auto slower = slower_than(before, next, {});
  EXPECT_EQ(slower.count, 4);
  EXPECT_EQ(slower.worst, "b");
  EXPECT_NEAR(slower.slowdown, 1, 1e-6);
}

TEST(lines_of_baselines, tell_when_small_slowdowns_have_added_up) {
  auto before = pinned(ms);
  for (const double time : {1.015, 1.03}) {
    auto next = pinned(time * ms);
    EXPECT_EQ(slower_than(before, next, {}).count, 0);
    continue_line(before, next);
    before = next;
  }
  const auto crept = slower_than_first(before, {});
  EXPECT_EQ(crept.count, 1);
  EXPECT_EQ(crept.worst, "copy");
  EXPECT_NEAR(crept.slowdown, 0.03, 1e-6);
  EXPECT_EQ(slower_than_first(pinned(1.03 * ms), {}).count, 0);  // it has no first one
}

// Sessions.

/// Sessions of two days, whose levels are these.
baseline of_sessions(const std::vector<double>& levels, int benchmarks = 10, double scale = ms) {
  std::vector<run> runs;
  for (std::size_t day = 0; day < levels.size(); ++day)
    for (int i = 0; i < 3; ++i) {
      auto run = made_up(static_cast<int>(runs.size()));
      run.benchmarks.clear();
      *run.started += 24h * day;
      for (int b = 0; b < benchmarks; ++b)
        run.benchmarks["x/" + std::to_string(b)] = {{scale * levels[day]}, 0, {}};
      runs.push_back(run);
    }
  return pin(runs, {}).baseline;
}

TEST(sessions_of_a_baseline, are_told_if_a_class_differs_by_more_than_the_threshold) {
  const auto distances = distant_sessions(of_sessions({1.01, 1, 1.1}), {});
  ASSERT_EQ(distances.size(), 1);
  EXPECT_EQ(distances[0].kind, benchmark_class::other);
  EXPECT_NEAR(distances[0].slowdown, 0.1, 1e-6);
  EXPECT_EQ(distant_sessions(of_sessions({1, 1.021}), {}).size(), 1);
  EXPECT_TRUE(distant_sessions(of_sessions({1, 1.019}), {}).empty());
  EXPECT_TRUE(distant_sessions(of_sessions({1, 1.1}), {.threshold = 0.2}).empty());
  const auto of_latency = distant_sessions(of_sessions({1, 1.06}, 10, 6000), {});
  ASSERT_EQ(of_latency.size(), 1);
  EXPECT_EQ(of_latency[0].kind, benchmark_class::latency);
  EXPECT_TRUE(distant_sessions(of_sessions({1, 1.04}, 10, 6000), {}).empty());
  // Of few benchmarks, and of one session.
  EXPECT_TRUE(distant_sessions(of_sessions({1, 1.1}, 9), {}).empty());
  EXPECT_TRUE(distant_sessions(of_sessions({1}), {}).empty());
}

}  // namespace
}  // namespace bench_transfers::gate::lineage_test
