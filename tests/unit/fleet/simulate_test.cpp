#include "tests/simulation/simulate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "src/statistics/quantile.hpp"
#include "tests/simulation/made_up_fleet.hpp"
#include "tests/simulation/residuals.hpp"

namespace bench_transfers::fleet::simulate_test {
namespace {

class simulated : public testing::Test {
 protected:
  std::mt19937_64 random{3};
  sweep measured =
      simulation::make_up({.nodes = 8, .gpus_in_node = 4, .nodes_in_rack = 2}, {}, random);

  [[nodiscard]] simulation::simulated_findings simulate_two(std::size_t trials = 6) const {
    return simulation::simulate(measured, settings::usual(),
                                {.slower = {0.001, 0.2}, .most_sweeps = 1, .most_trials = trials});
  }
};

TEST_F(simulated, what_is_far_beyond_the_noise_is_found_and_what_is_below_is_not) {
  const auto result = simulate_two(24);
  for (const auto& fault : result.faults) {
    ASSERT_EQ(fault.made, 3U);
    const auto share = static_cast<double>(fault.found) / static_cast<double>(fault.made);
    if (fault.slower > 0.1) {
      EXPECT_EQ(share, 1);
    } else {
      EXPECT_EQ(share, 0);
    }
  }
  EXPECT_EQ(result.faults.size(), 8U);  // GPUs, nodes, racks, slots
}

TEST_F(simulated, slow_parts_are_no_noise) {
  simulation::slow_down(measured.gpus[9], 3);
  const auto judged = judge(measured, settings::usual());
  const auto drawn = simulation::residuals(measured, judged).draw(2, random);
  EXPECT_EQ(drawn.gpus.size(), measured.gpus.size());
  for (const auto& gpu : drawn.gpus) {
    EXPECT_EQ(gpu.times[0].size(), 2U);
    for (const auto& run : gpu.times[0])
      for (const auto time : run) EXPECT_NEAR(time / 2.4e6, 1, 0.6);
  }
}

TEST_F(simulated, more_sweeps_are_of_the_same_fleets) {
  measured = simulation::make_up({.nodes = 2, .gpus_in_node = 1}, {}, random);
  // Without noise of repetitions more sweeps tell nothing more.
  for (auto& gpu : measured.gpus)
    for (auto& runs : gpu.times)
      for (auto& run : runs) run.assign(run.size(), run.front());
  const auto result = simulation::simulate(
      measured, settings::usual(), {.slower = {0.078}, .most_sweeps = 8, .most_trials = 40});
  ASSERT_EQ(result.faults.size(), 4U);
  for (const auto& fault : result.faults) {
    EXPECT_EQ(fault.made, 40U);
    EXPECT_EQ(fault.found, result.faults.front().found);
  }
  EXPECT_GT(result.faults.front().found, 0U);
  EXPECT_LT(result.faults.front().found, 40U);
}

TEST_F(simulated, each_kind_is_tried_though_one_rack_has_room_in_a_fleet) {
  measured = simulation::make_up({.nodes = 60, .gpus_in_node = 1, .nodes_in_rack = 4}, {}, random);
  const auto result =
      simulation::simulate(measured, settings::usual(),
                           {.slower = {0.1, 0.2, 0.3}, .most_sweeps = 1, .most_trials = 12});
  for (const auto& fault : result.faults) EXPECT_GT(fault.made, 0U);
}

TEST_F(simulated, disturbed_repetition_stays_one_of_its_run) {
  measured = simulation::make_up({.nodes = 8, .gpus_in_node = 4, .repetitions = 5, .outliers = 0},
                                 {}, random);
  for (auto& gpu : measured.gpus)
    for (auto& runs : gpu.times) runs.front()[3] *= 1.4;
  const auto judged = judge(measured, settings::usual());
  const auto drawn = simulation::residuals(measured, judged).draw(1, random);
  for (const auto& gpu : drawn.gpus)
    for (std::size_t i = 0; i < gpu.times.size(); ++i) {
      if (drawn.benchmarks[i].aspect.kind != benchmark_class::link) continue;
      const auto& run = gpu.times[i].front();
      EXPECT_EQ(1, std::ranges::count_if(
                       run, [&](double time) { return time > 1.2 * statistics::median(run); }));
    }
}

TEST_F(simulated, few_gpus_have_a_slowdown_below_which_none_is_named) {
  EXPECT_TRUE(simulate_two().least_named.empty());
  measured = simulation::make_up({.nodes = 2, .gpus_in_node = 1}, {}, random);
  const auto result = simulate_two();
  ASSERT_EQ(result.least_named.size(), 1U);
  EXPECT_NEAR(result.least_named.at(scope::gpu), 0.078, 0.0005);
}

TEST_F(simulated, a_single_gpu_is_no_fleet) {
  measured.gpus.resize(1);
  const auto alone = simulate_two();
  EXPECT_TRUE(alone.faults.empty());
  EXPECT_EQ(alone.obstacle, doubt::no_peers);
  measured.gpus.clear();
  EXPECT_TRUE(simulate_two().faults.empty());
}

TEST_F(simulated, nothing_is_found_without_a_link) {
  for (auto& benchmark : measured.benchmarks) benchmark.aspect.kind = benchmark_class::host;
  EXPECT_EQ(simulate_two().obstacle, doubt::class_not_measured);
  for (auto& gpu : measured.gpus) gpu.on_host = true;
  const auto result = simulate_two();
  EXPECT_EQ(result.obstacle, doubt::host_device);
  EXPECT_TRUE(result.trials.empty());
}

}  // namespace
}  // namespace bench_transfers::fleet::simulate_test
