#include "src/fleet/judge/judge.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/simulation/made_up_fleet.hpp"

namespace bench_transfers::fleet::judge_test {
namespace {

using simulation::fault;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;
using where = simulation::fault::where;

/// A fleet of 24 nodes in 3 racks, of 4 GPUs each unless said otherwise.
class judged : public testing::Test {
 protected:
  simulation::fleet_kind kind{.nodes = 24, .gpus_in_node = 4, .nodes_in_rack = 8};
  std::vector<fault> faults;
  std::mt19937_64 random{3};

  [[nodiscard]] sweep measured() { return simulation::make_up(kind, faults, random); }
  [[nodiscard]] judgement found() { return judge(measured(), settings::usual()); }
  static std::vector<std::string> names(const judgement& judged) {
    std::vector<std::string> list;
    for (const auto& found : judged.findings) list.push_back(found.name);
    return list;
  }
};

TEST_F(judged, healthy_fleet_is_healthy) {
  const auto result = found();
  EXPECT_EQ(result.verdict, verdict::healthy);
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_THAT(result.unknown_gpus, IsEmpty());
  for (const auto& tested : result.tested) {
    const bool is_link = tested.aspect.kind == benchmark_class::link;
    EXPECT_TRUE(!is_link || tested.detectable < 0.05);
  }
}

TEST_F(judged, slow_gpu_is_named_with_its_slowdown) {
  faults = {{where::gpu, "GPU-node5-2", 0.05}};
  const auto result = found();
  EXPECT_EQ(result.verdict, verdict::named);
  ASSERT_THAT(names(result), ElementsAre("GPU-node5-2"));
  const auto& named = result.findings.front();
  EXPECT_EQ(named.scope, scope::gpu);
  EXPECT_EQ(named.kind, benchmark_class::link);
  EXPECT_EQ(named.pattern, pattern::slow);
  EXPECT_THAT(named.aspects, SizeIs(4));
  EXPECT_NEAR(named.worst()->slower.value, 0.05, 0.01);
  EXPECT_LT(named.worst()->slower.low, 0.05);
  EXPECT_GT(named.worst()->slower.high, 0.05);
  EXPECT_GT(named.worst()->confidence, 0.99);
}

TEST_F(judged, slow_direction_is_told) {
  faults = {{where::gpu, "GPU-node5-2", 0.05, true, {direction::d2h}}};
  const auto result = found();
  ASSERT_THAT(names(result), ElementsAre("GPU-node5-2"));
  EXPECT_EQ(result.findings.front().pattern, pattern::slow_one_direction);
  for (const auto& slow : result.findings.front().aspects)
    EXPECT_EQ(slow.aspect.towards, direction::d2h);
}

TEST_F(judged, slow_only_together_is_told) {
  auto fleet = measured();
  for (std::size_t i = 0; i < fleet.benchmarks.size(); ++i)
    if (fleet.benchmarks[i].aspect.together)
      for (auto& time : fleet.gpus[9].times[i]) time *= 1.2;
  const auto result = judge(fleet, settings::usual());
  ASSERT_THAT(names(result), ElementsAre(fleet.gpus[9].uuid));
  EXPECT_EQ(result.findings.front().pattern, pattern::slow_together);
}

TEST_F(judged, slow_in_some_sizes_is_told) {
  auto fleet = measured();
  const auto slow_down = [&](std::size_t benchmark) {
    for (auto& time : fleet.gpus[9].times[benchmark]) time *= 1.1;
  };
  const auto other_direction = std::ranges::find(fleet.benchmarks, direction::d2h,
                                                 [](const auto& b) { return b.aspect.towards; });
  // One size of three, alone and then in both directions.
  slow_down(0);
  EXPECT_EQ(judge(fleet, settings::usual()).verdict, verdict::healthy);
  slow_down(static_cast<std::size_t>(other_direction - fleet.benchmarks.begin()));
  const auto result = judge(fleet, settings::usual());
  ASSERT_THAT(names(result), ElementsAre(fleet.gpus[9].uuid));
  EXPECT_EQ(result.findings.front().pattern, pattern::slow_some);
}

TEST_F(judged, slow_node_is_no_number_of_slow_gpus) {
  faults = {{where::node, "node7", 1.0}};
  EXPECT_THAT(names(found()), ElementsAre("node7"));
}

TEST_F(judged, slow_rack_is_no_number_of_slow_nodes) {
  faults = {{where::rack, "rack1", 0.05}};
  EXPECT_THAT(names(found()), ElementsAre("rack1"));
}

TEST_F(judged, slow_parts_inside_of_each_other_are_told_apart) {
  faults = {
      {where::rack, "rack1", 0.05}, {where::node, "node9", 0.1}, {where::gpu, "GPU-node9-0", 0.2}};
  EXPECT_THAT(names(found()), ElementsAre("rack1", "node9", "GPU-node9-0"));
}

TEST_F(judged, half_of_a_node_is_named_gpu_by_gpu) {
  faults = {{where::gpu, "GPU-node5-2", 0.2}, {where::gpu, "GPU-node5-3", 0.2}};
  EXPECT_THAT(names(found()), UnorderedElementsAre("GPU-node5-2", "GPU-node5-3"));
}

TEST_F(judged, only_gpu_of_a_node_is_named_itself) {
  kind.gpus_in_node = 1;
  faults = {{where::gpu, "GPU-node5-0", 0.1}};
  const auto result = found();
  ASSERT_THAT(names(result), ElementsAre("GPU-node5-0"));
  EXPECT_EQ(result.findings.front().scope, scope::gpu);
}

TEST_F(judged, models_are_compared_with_themselves) {
  kind.models = 2;
  auto fleet = measured();
  for (auto& gpu : fleet.gpus)
    if (gpu.model.ends_with("1"))
      for (auto& times : gpu.times)
        for (auto& time : times) time *= 2;
  EXPECT_EQ(judge(fleet, settings::usual()).verdict, verdict::healthy);
}

TEST_F(judged, slow_repetition_is_no_slow_gpu) {
  auto fleet = measured();
  for (auto& times : fleet.gpus[9].times)
    for (std::size_t i = 1; i < times.size(); ++i) times[i] *= 1.5;
  EXPECT_EQ(judge(fleet, settings::usual()).verdict, verdict::healthy);
}

TEST_F(judged, lower_link_is_named) {
  auto fleet = measured();
  for (auto& gpu : fleet.gpus) gpu.link = {5, 16, 5, 16};
  fleet.gpus[9].link.width = 8;
  fleet.gpus[10].link.generation = 3;
  const auto result = judge(fleet, settings::usual());
  EXPECT_THAT(result.findings,
              UnorderedElementsAre(Field(&finding::pattern, pattern::link_width),
                                   Field(&finding::pattern, pattern::link_generation)));
  for (const auto& found : result.findings) EXPECT_EQ(found.worst(), nullptr);
}

TEST_F(judged, gpu_without_figures_is_not_healthy) {
  auto fleet = measured();
  for (auto& times : fleet.gpus[9].times) times.clear();
  const auto result = judge(fleet, settings::usual());
  EXPECT_EQ(result.verdict, verdict::unknown);
  EXPECT_THAT(result.unknown_gpus, ElementsAre(9));
}

TEST_F(judged, single_node_has_nothing_to_be_compared_with) {
  kind.nodes = 1;
  EXPECT_EQ(found().verdict, verdict::unknown);
  kind.nodes = 0;
  EXPECT_EQ(found().verdict, verdict::unknown);
}

TEST_F(judged, noise_that_would_hide_a_slowdown_is_no_health) {
  auto fleet = measured();
  std::normal_distribution<double> noise(0, 0.1);
  for (auto& gpu : fleet.gpus) {
    const auto slower = std::exp(noise(random));
    for (auto& times : gpu.times)
      for (auto& time : times) time *= slower;
  }
  const auto result = judge(fleet, settings::usual());
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_EQ(result.verdict, verdict::unknown);
}

}  // namespace
}  // namespace bench_transfers::fleet::judge_test
