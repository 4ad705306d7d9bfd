#include "src/gate/judge/power.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "src/gate/judge/answer.hpp"
#include "src/gate/judge/observe.hpp"
#include "tests/basics.hpp"

namespace bench_transfers::gate::power_test {
namespace {

/// Ten processes of two sessions of a day. The figures scatter by this part.
history scattered(double figure, double part, benchmark_class limited_by) {
  history known;
  known.limited_by = limited_by;
  for (int i = 0; i < 10; ++i)
    known.figures.emplace_back(figure * (1 + part * std::sin(1.0 + i * i)));
  return known;
}

baseline made_up() {
  constexpr std::chrono::sys_seconds noon{std::chrono::sys_days{std::chrono::year{2026} / 11 / 21} +
                                          12h};
  baseline before;
  for (int i = 0; i < 10; ++i)
    before.processes.push_back({.file = std::to_string(i),
                                .started = noon + std::chrono::minutes(i) + (i < 5 ? 0h : 24h),
                                .boot = {},
                                .card = {}});
  before.benchmarks = {{"call", scattered(5'000, 0.001, benchmark_class::link)},
                       {"copy", scattered(300'000, 0.001, benchmark_class::link)},
                       {"noisy", scattered(300'000, 0.04, benchmark_class::link)},
                       {"noisy_again", scattered(700'000, 0.1, benchmark_class::link)}};
  // With fewer, the differences between sessions would be assumed.
  for (int i = 10; i < 40; ++i)
    before.benchmarks["quiet_" + std::to_string(i)] =
        scattered(300'000.0 + i, 0.001, benchmark_class::link);
  return before;
}

/// The same by compare.hpp.
std::vector<benchmark_judgement> judged(const baseline& before, std::size_t new_runs,
                                        const limits& limits) {
  std::vector<observation> observations;
  const auto sessions = sessions_of(before.processes);
  for (const auto& [name, known] : before.benchmarks)
    observations.push_back(observe(known, sessions, 2, before.judged_by));
  return detectable(observations, new_runs, limits);
}

TEST(power, names_each_benchmark_and_what_it_is_judged_by) {
  const auto lines = power(made_up(), 3, {.threshold = 0.03, .latency_threshold = 0.07});
  ASSERT_EQ(lines.size(), 34);
  for (std::size_t i = 0; const auto* const name : {"call", "copy", "noisy", "noisy_again"})
    EXPECT_EQ(lines[i++].name, name);
  EXPECT_EQ(lines[0].kind, benchmark_class::latency);
  EXPECT_EQ(lines[1].kind, benchmark_class::link);
  EXPECT_EQ(lines[0].threshold, 0.07);
  EXPECT_EQ(lines[1].threshold, 0.03);
  EXPECT_NEAR(lines[0].before, 5'000, 5);
  EXPECT_NEAR(lines[2].before, 300'000, 6'000);
}

TEST(power, is_what_a_check_of_so_many_runs_would_find) {
  const limits limits;
  const auto before = made_up();
  const auto lines = power(before, 5, limits);
  const auto judgements = judged(before, 5, limits);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_DOUBLE_EQ(lines[i].detectable, slowdown(judgements[i].detectable));
    EXPECT_DOUBLE_EQ(lines[i].detectable_surely, slowdown(judgements[i].detectable_surely));
    EXPECT_LT(lines[i].detectable, lines[i].detectable_surely);
    EXPECT_DOUBLE_EQ(lines[i].process_deviation, judgements[i].process_deviation);
    EXPECT_DOUBLE_EQ(lines[i].session_deviation, judgements[i].session_deviation);
    EXPECT_EQ(lines[i].advisory, is_advisory(judgements[i], lines[i].threshold));
  }
  EXPECT_FALSE(lines[1].advisory);
  EXPECT_TRUE(lines[3].advisory);
}

TEST(power, needs_the_first_number_of_runs_that_noise_does_not_hide) {
  const auto before = made_up();
  // Between what three runs and fifty show of the noisy benchmark.
  const double threshold =
      std::expm1((judged(before, 3, {})[2].resolution + judged(before, 50, {})[2].resolution) / 2);
  const limits limits{.threshold = threshold};
  const auto lines = power(before, 3, limits);
  EXPECT_THAT(lines[1].runs_needed, Optional(3));
  ASSERT_TRUE(lines[2].runs_needed);
  const auto needed = *lines[2].runs_needed;
  EXPECT_GT(needed, 3);
  EXPECT_FALSE(is_advisory(judged(before, needed, limits)[2], limits.threshold));
  EXPECT_TRUE(is_advisory(judged(before, needed - 1, limits)[2], limits.threshold));
  EXPECT_FALSE(lines[3].runs_needed);  // not even fifty
}

}  // namespace
}  // namespace bench_transfers::gate::power_test
