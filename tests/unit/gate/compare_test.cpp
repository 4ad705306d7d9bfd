#include <functional>
#include <tuple>

#include "tests/unit/gate/comparing.hpp"

namespace bench_transfers::gate::compare_test {
namespace {

TEST_F(comparing, finds_nothing_where_nothing_changed) {
  const auto result = compare(suite(200, 0.002), {});
  EXPECT_EQ(count(result, outcome::unchanged), 200);
  EXPECT_FALSE(result.classes.at(0).changed);
}

TEST_F(comparing, finds_the_slower_benchmark) {
  auto all = suite(200, 0.002);
  slow_down(all[17], 0.05);
  const auto result = compare(all, {});
  EXPECT_EQ(result.benchmarks[17].verdict, outcome::slower);
  EXPECT_NEAR(result.benchmarks[17].shift, std::log1p(0.05), 0.01);
  EXPECT_EQ(count(result, outcome::unchanged), 199);
}

TEST_F(comparing, accepts_a_certain_slowdown_below_the_threshold) {
  auto all = suite(50, 0.0005);
  slow_down(all[3], 0.015);
  EXPECT_EQ(compare(all, {}).benchmarks[3].verdict, outcome::unchanged);
  EXPECT_EQ(compare(all, {.threshold = 0.01}).benchmarks[3].verdict, outcome::slower);
}

TEST_F(comparing, accepts_more_if_latency_decides) {
  auto all = suite(50, 0.002);
  slow_down(all[3], 0.04);
  EXPECT_EQ(compare(all, {}).benchmarks[3].verdict, outcome::slower);
  for (auto& benchmark : all) benchmark.kind = benchmark_class::latency;
  EXPECT_EQ(compare(all, {}).benchmarks[3].verdict, outcome::unchanged);
}

TEST_F(comparing, judges_a_benchmark_by_all_of_its_processes) {
  struct change_case {
    const char* name;
    std::function<void(observation&)> change;
    outcome verdict;
  };
  const auto as_slow_before = [](double part) {
    return [=](observation& benchmark) {
      benchmark.before[1][2] += 0.10;
      slow_down(benchmark, part);
    };
  };
  for (const auto& [name, change, verdict] : std::vector<change_case>{
           {"faster", [](observation& b) { slow_down(b, -0.05); }, outcome::faster},
           {"one disturbed process", [](observation& b) { b.after[0][1] += 0.3; },
            outcome::ambiguous},
           {"one of three as fast as before",
            [](observation& b) {
              b.after[0] = {0.2, 0.2, b.after[0][2]};
            },
            outcome::ambiguous},
           {"the baseline was as slow once", as_slow_before(0.10), outcome::ambiguous},
           {"beyond an outlier of the baseline", as_slow_before(0.20), outcome::slower}}) {
    auto all = suite(200, 0.003);
    change(all[4]);
    EXPECT_EQ(compare(all, {}).benchmarks[4].verdict, verdict) << name;
  }
}

TEST_F(comparing, attributes_a_shift_of_all_to_the_environment) {
  for (const double shift : {0.08, -0.08}) {
    auto all = suite(60, 0.003);
    for (auto& benchmark : all) slow_down(benchmark, shift);
    const auto result = compare(all, {});
    ASSERT_EQ(result.classes.size(), 1);
    EXPECT_TRUE(result.classes[0].changed);
    EXPECT_NEAR(result.classes[0].shift, std::log1p(shift), 0.005);
    EXPECT_EQ(count(result, outcome::slower), 0);
  }
}

TEST_F(comparing, is_unsure_of_a_shift_beyond_the_threshold_only_with_its_class) {
  auto all = suite(60, 0.001);
  for (auto& benchmark : all) slow_down(benchmark, 0.018);
  slow_down(all[4], 0.018);
  const auto result = compare(all, {});
  EXPECT_FALSE(result.classes.at(0).changed);
  EXPECT_EQ(result.benchmarks[4].verdict, outcome::ambiguous);
}

TEST_F(comparing, finds_a_slowdown_also_beside_improvements) {
  auto all = suite(40, 0.003);
  slow_down(all[0], 0.10);
  for (const std::size_t i : {1, 2, 3}) slow_down(all[i], -0.20);
  const auto result = compare(all, {});
  EXPECT_EQ(result.benchmarks[0].verdict, outcome::slower);
  EXPECT_EQ(count(result, outcome::faster), 3);
}

TEST_F(comparing, learns_from_sessions_in_which_a_benchmark_is_missing) {
  auto all = suite(60, 0.002);
  for (auto& benchmark : all) {
    benchmark.before.push_back({});
    for (auto& session : benchmark.before)
      for (auto& value : session) value += session.size() == 5 ? 0 : 1;
  }
  all[0].before[2] = processes(2, 0.5, 0.002);
  all[1].before[2] = processes(2, -0.5, 0.002);
  slow_down(all[7], 0.10);
  const auto result = compare(all, {});
  EXPECT_EQ(result.benchmarks[7].verdict, outcome::slower);
}

TEST_F(comparing, separates_the_classes) {
  auto all = suite(60, 0.003);
  for (std::size_t i = 0; i < 30; ++i) {
    all[i].kind = benchmark_class::latency;
    slow_down(all[i], 0.09);
  }
  slow_down(all[40], 0.05);
  const auto result = compare(all, {});
  ASSERT_EQ(result.classes.size(), 2);
  EXPECT_FALSE(result.classes[0].changed);
  EXPECT_TRUE(result.classes[1].changed);
  EXPECT_EQ(result.classes[0].kind, benchmark_class::link);
  EXPECT_EQ(result.classes[1].kind, benchmark_class::latency);
  EXPECT_EQ(result.benchmarks[40].verdict, outcome::slower);
}

TEST_F(comparing, never_passes_a_change_of_any_part_of_the_suite) {
  for (std::size_t slowed = 5; slowed <= 100; slowed += 5) {
    auto all = suite(100, 0.003);
    for (std::size_t i = 0; i < slowed; ++i) slow_down(all[i], 0.10);
    const auto result = compare(all, {});
    const auto found = count(result, outcome::slower);
    EXPECT_TRUE(found > 0 || result.classes.at(0).changed) << slowed << " of 100 slowed";
    if (slowed != 40) continue;
    EXPECT_FALSE(result.classes.at(0).changed);
    EXPECT_EQ(found, 40);
  }
}

TEST_F(comparing, reports_a_shift_of_all_even_if_sessions_explain_it) {
  auto all = suite(60, 0.001);
  // Five sessions of the baseline and the new one: all alike, 4 % apart.
  const std::vector<double> levels{0, 0.04, -0.03, 0.05, -0.02};
  for (auto& benchmark : all) {
    benchmark.before.clear();
    for (const double level : levels) benchmark.before.push_back(processes(3, level, 0.001));
    benchmark.after = {processes(3, 0.045, 0.001)};
  }
  const auto result = compare(all, {});
  EXPECT_GT(result.classes.at(0).explained, 0.05);
  EXPECT_TRUE(result.classes.at(0).changed);
  EXPECT_EQ(count(result, outcome::slower), 0);
}

TEST_F(comparing, estimates_how_much_sessions_differ_from_one_benchmark_to_the_next) {
  auto all = suite(200, 0.003);
  for (auto& benchmark : all) {
    const double level = processes(1, 0, 0.02)[0];
    for (auto& value : benchmark.after[0]) value += level;
  }
  const auto result = compare(all, {});
  EXPECT_EQ(count(result, outcome::slower), 0);
  EXPECT_NEAR(result.benchmarks[0].session_deviation, 0.02, 0.01);
  EXPECT_GT(result.benchmarks[0].resolution, 0.05);
}

TEST_F(comparing, assumes_that_sessions_differ_if_there_are_few_benchmarks) {
  auto all = suite(3, 0.005);
  const auto result = compare(all, {});
  EXPECT_TRUE(result.classes.empty());
  for (const auto& benchmark : result.benchmarks)
    EXPECT_GE(benchmark.session_deviation, 1.9 * benchmark.process_deviation);
}

TEST_F(comparing, takes_one_process_a_session) {
  std::vector<observation> all(30);
  for (auto& benchmark : all) {
    for (int i = 0; i < 10; ++i) benchmark.before.push_back(processes(1, 0, 0.001));
    for (int i = 0; i < 3; ++i) benchmark.after.push_back(processes(1, 0, 0.001));
  }
  slow_down(all[5], 0.10);
  const auto result = compare(all, {});
  EXPECT_EQ(result.benchmarks[5].verdict, outcome::slower);
  EXPECT_EQ(count(result, outcome::unchanged), 29);
}

TEST_F(comparing, accepts_values_that_are_all_the_same) {
  std::vector<observation> all(20);
  for (auto& benchmark : all) {
    benchmark.before = {std::vector<double>(10, 1.5)};
    benchmark.after = {std::vector<double>(3, 1.5)};
  }
  slow_down(all[0], 0.07);
  const auto result = compare(all, {});
  EXPECT_EQ(result.benchmarks[0].verdict, outcome::slower);
  EXPECT_EQ(count(result, outcome::unchanged), 19);
}

TEST_F(comparing, ignores_differences_below_the_clocks_resolution) {
  auto all = suite(20, 0.0001);
  all[0].least_deviation = 0.03;
  slow_down(all[0], 0.06);
  EXPECT_EQ(compare(all, {}).benchmarks[0].verdict, outcome::not_known);
}

// What counts as tested.

TEST_F(comparing, does_not_know_what_noise_would_hide) {
  auto all = suite(40, 0.03);
  const auto result = compare(all, {});
  EXPECT_GT(count(result, outcome::not_known), 30);
  EXPECT_TRUE(is_advisory(result.benchmarks[0], 0.02));
  EXPECT_EQ(count(compare(all, {.threshold = 0.3}), outcome::unchanged), 40);
}

TEST_F(comparing, counts_processes_that_are_much_slower_than_all_of_the_baseline) {
  // Three thresholds count where they are more than six deviations, and otherwise those.
  for (const auto& [deviation, few, many] :
       {std::tuple{0.002, 0.05, 0.07}, std::tuple{0.03, 0.13, 0.30}}) {
    auto all = suite(200, deviation);
    const auto slowest = std::ranges::max(joined(all[4].before));
    all[4].after[0] = {slowest + few, 0, 0};
    EXPECT_EQ(compare(all, {}).benchmarks[4].slow_processes, 0) << deviation;
    all[4].after[0] = {slowest + many, slowest + few, 0};
    EXPECT_EQ(compare(all, {}).benchmarks[4].slow_processes, 1) << deviation;
    all[4].after[0] = {slowest + many, 0, slowest + many};
    EXPECT_EQ(compare(all, {}).benchmarks[4].slow_processes, 2) << deviation;
  }
}

/// In so many looks of three processes, the places of those that are much slower.
TEST_F(comparing, looks_again_at_what_is_much_slower_in_a_process) {
  for (const auto& [looks, slow, state, verdict] :
       {std::tuple{1U, std::vector<std::size_t>{}, sighting::none, outcome::unchanged},
        {1, {1}, sighting::open, outcome::ambiguous},
        {1, {1, 2}, sighting::open, outcome::ambiguous},
        {2, {1}, sighting::cleared, outcome::unchanged},
        {2, {4}, sighting::open, outcome::ambiguous},
        {2, {1, 4}, sighting::again, outcome::slower},
        {3, {4}, sighting::cleared, outcome::unchanged},
        {3, {8}, sighting::open, outcome::ambiguous},
        {3, {4, 8}, sighting::again, outcome::slower},
        {3, {0, 3, 6}, sighting::again, outcome::slower}})
    for (const double excess : {0.1, 0.3, 4.6}) {
      auto all = suite(200, 0.002, 3 * looks);
      for (const auto place : slow) all[4].after[0][place] += excess;
      part_looks(all[4]);
      const auto benchmark = compare(all, {}).benchmarks[4];
      EXPECT_EQ(benchmark.sighting, state) << looks << ' ' << slow.size() << ' ' << excess;
      EXPECT_EQ(benchmark.verdict, verdict) << looks << ' ' << slow.size() << ' ' << excess;
      EXPECT_EQ(benchmark.slow_processes, slow.size());
    }
}

/// Two processes of a session may be slow by themselves; a session is slow if most of it is.
TEST_F(comparing, takes_a_level_of_a_session_from_most_of_its_processes) {
  for (const std::size_t slow : {0, 1, 2, 3, 5}) {
    auto all = suite(200, 0.001);
    for (std::size_t i = 0; i < slow; ++i) all[9].before[1][i] += 0.03;
    slow_down(all[4], 0.03);
    const auto expected = slow < 3 ? outcome::slower : outcome::ambiguous;
    EXPECT_EQ(compare(all, {}).benchmarks[4].verdict, expected) << slow;
  }
}

TEST_F(comparing, is_unsure_of_what_is_seen_again_at_the_pace_of_the_baseline) {
  auto all = suite(20, 0.002, 6);
  for (const std::size_t place : {1, 4}) all[4].after[0][place] += 0.3;
  part_looks(all[4]);
  EXPECT_EQ(compare(all, {}).benchmarks[4].sighting, sighting::again);
  const auto strict = compare(all, {.false_alarm = 1e-6}).benchmarks[4];
  EXPECT_EQ(strict.sighting, sighting::unsure);
  EXPECT_EQ(strict.verdict, outcome::ambiguous);
}

/// Neighbours slow down many benchmarks once each: then chance explains one that is seen again.
TEST_F(comparing, is_unsure_of_what_is_seen_again_at_the_pace_of_the_new_runs) {
  const auto sighting_of = [&](std::size_t others, std::size_t times, const limits& limits = {}) {
    auto all = suite(60, 0.002, 6);
    for (const std::size_t place : {1, 4}) all[4].after[0][place] += 0.3;
    for (std::size_t i = 0; i < others; ++i)
      for (std::size_t time = 0; time < times; ++time)
        all[10 + i].after[0][(i + 3 * time) % 6] += 0.3;
    for (auto& benchmark : all) part_looks(benchmark);
    return compare(all, limits).benchmarks[4].sighting;
  };
  EXPECT_EQ(sighting_of(0, 0), sighting::again);
  EXPECT_EQ(sighting_of(20, 1), sighting::unsure);
  // What is seen again is no neighbour, in however many benchmarks.
  EXPECT_EQ(sighting_of(20, 2), sighting::again);
  // Where the class only vetoes, its limits are far above what neighbours do.
  EXPECT_EQ(sighting_of(20, 1, {.vetoing = {suite(1, 0.002)[0].kind}}), sighting::again);
}

/// A look without slow processes takes nothing back, though single ones are usual in the baseline.
TEST_F(comparing, does_not_forget_in_a_later_look_what_it_has_seen_again) {
  for (const std::size_t usual : {0, 2, 3, 6})
    for (const std::size_t others : {0, 1, 20})
      for (const std::size_t looks : {2, 3}) {
        auto all = suite(60, 0.002, 3 * looks);
        for (auto& benchmark : all) benchmark.before.push_back(processes(30, 0, 0.002));
        for (std::size_t i = 0; i < usual; ++i) all[30 + i].before[0][i % 4] += 0.3;
        for (const std::size_t place : {1, 4}) all[4].after[0][place] += 0.3;
        for (std::size_t i = 0; i < others; ++i) all[5 + i].after[0][i % 6] += 0.3;
        for (auto& benchmark : all) part_looks(benchmark);
        EXPECT_GE(compare(all, {.looks = 3}).benchmarks[4].sighting, sighting::unsure)
            << usual << ' ' << others << ' ' << looks;
      }
}

/// Sessions of other machines say how far machines differ; those of one machine do not.
TEST_F(comparing, learns_from_machines_how_far_another_one_may_be) {
  auto all = suite(24, 0.01);
  for (auto& benchmark : all) {
    benchmark.kind = benchmark_class::host;
    benchmark.before.push_back(processes(5, 0, 0.01));
    benchmark.before.push_back(processes(5, 0, 0.01));
    slow_down(benchmark, 0.30);
  }
  const auto shared_of = [&](bool sessions_are_machines) {
    return compare(all, {.vetoing = {benchmark_class::host},
                         .other_machine = true,
                         .sessions_are_machines = sessions_are_machines})
        .classes.at(0);
  };
  EXPECT_TRUE(shared_of(true).slower);
  EXPECT_FALSE(shared_of(false).slower);
  EXPECT_TRUE(shared_of(false).may_be_slower);
  EXPECT_GT(shared_of(true).at_least, shared_of(false).at_least);
}

TEST_F(comparing, expects_the_same_bounds_for_several_numbers_of_runs_as_for_each) {
  const auto all = suite(30, 0.004);
  const std::vector<std::size_t> numbers{3, 8, 50};
  const auto bounds = expected_bounds(all, numbers, {});
  ASSERT_EQ(bounds.size(), numbers.size());
  for (std::size_t n = 0; n < numbers.size(); ++n)
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(bounds[n][i].resolution, expected_bounds(all, numbers[n], {})[i].resolution);
      EXPECT_EQ(bounds[n][i].resolution, detectable(all, numbers[n], {})[i].resolution);
    }
}

TEST_F(comparing, is_not_surprised_by_what_the_baselines_processes_show) {
  auto all = suite(200, 0.002);
  for (std::size_t i = 0; i < 200; i += 10) all[i].before[i / 10 % 2][2] += 0.3;
  all[4].after[0][1] += 0.3;   // another benchmark than those
  all[10].after[0][1] += 0.3;  // one of them
  all[7].after[0][1] += 4.6;   // none of them was as slow
  const auto result = compare(all, {});
  EXPECT_EQ(result.benchmarks[4].sighting, sighting::none);
  EXPECT_EQ(result.benchmarks[10].sighting, sighting::none);
  EXPECT_EQ(result.benchmarks[7].sighting, sighting::open);
}

}  // namespace
}  // namespace bench_transfers::gate::compare_test
