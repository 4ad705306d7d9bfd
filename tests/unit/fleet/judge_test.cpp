#include "src/fleet/judge/judge.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "src/statistics/quantile.hpp"
#include "tests/basics.hpp"
#include "tests/simulation/made_up_fleet.hpp"

namespace bench_transfers::fleet::judge_test {
namespace {

using simulation::fault;
using simulation::slow_down;
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
  /// That this is the only finding.
  static void expect_named(const judgement& judged, const std::string& name, pattern how) {
    ASSERT_THAT(names(judged), ElementsAre(name));
    EXPECT_EQ(judged.findings.front().pattern, how);
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

/// Of each finding and aspect, the score of its part has the finding's number.
void expect_scores_as_found(const judgement& result) {
  for (const auto& found : result.findings)
    for (const auto& slow : found.aspects) {
      if (slow.benchmark) continue;
      const auto& scores = *std::ranges::find(result.scores, slow.aspect, &aspect_scores::aspect);
      std::vector<double> of_part;
      for (const auto gpu : found.gpus) of_part.push_back(scores.beside_peers[gpu].value());
      EXPECT_NEAR(statistics::median(of_part), slow.slower.value, 1e-4) << found.name;
    }
}

TEST_F(judged, few_gpus_have_the_scores_that_are_found) {
  kind.nodes_in_rack = 100;
  faults = {{where::gpu, "GPU-node0-0", 0.2}};
  for (const auto& [nodes, gpus] :
       {std::pair(1U, 2U), {1U, 3U}, {1U, 4U}, {2U, 1U}, {3U, 1U}, {4U, 1U}}) {
    kind.nodes = nodes;
    kind.gpus_in_node = gpus;
    const auto result = found();
    ASSERT_THAT(names(result), ElementsAre("GPU-node0-0"));
    expect_scores_as_found(result);
    const auto& scores = result.scores.front().beside_peers;
    for (std::size_t gpu = 0; gpu < nodes * gpus; ++gpu)
      EXPECT_NEAR(scores.at(gpu).value(), gpu == 0 ? 0.2 : 0, 0.02);
  }
}

TEST_F(judged, parts_have_the_scores_that_are_found) {
  faults = {{where::gpu, "GPU-node5-2", 0.05}, {where::node, "node9", 0.3}};
  const auto result = found();
  ASSERT_THAT(names(result), ElementsAre("node9", "GPU-node5-2"));
  expect_scores_as_found(result);
  // Half of the nodes are slower by far: the others are the reference.
  kind.nodes = 4;
  kind.nodes_in_rack = 100;
  faults = {{where::node, "node0", 1.0}, {where::node, "node1", 1.0}};
  const auto of_half = found();
  ASSERT_THAT(names(of_half), UnorderedElementsAre("node0", "node1"));
  expect_scores_as_found(of_half);
  EXPECT_NEAR(of_half.scores.front().beside_peers.back().value(), 0, 0.02);
}

TEST_F(judged, gpu_that_is_slow_in_one_run_has_the_score_of_that_run) {
  kind.nodes = 1;
  kind.runs = 3;
  auto fleet = measured();
  for (auto& runs : fleet.gpus[0].times)
    for (auto& time : runs.back()) time *= 1.5;
  const auto result = judge(fleet, settings::usual());
  ASSERT_THAT(names(result), testing::Contains(fleet.gpus[0].uuid));
  expect_scores_as_found(result);
  EXPECT_NEAR(result.scores.front().beside_peers.back().value(), 0, 0.02);
}

TEST_F(judged, slow_direction_is_told) {
  faults = {{where::gpu, "GPU-node5-2", 0.05, true, {direction::d2h}}};
  const auto result = found();
  ASSERT_NO_FATAL_FAILURE(expect_named(result, "GPU-node5-2", pattern::slow_one_direction));
  for (const auto& slow : result.findings.front().aspects)
    EXPECT_EQ(slow.aspect.towards, direction::d2h);
}

TEST_F(judged, slow_only_together_is_told) {
  auto fleet = measured();
  for (std::size_t i = 0; i < fleet.benchmarks.size(); ++i)
    if (fleet.benchmarks[i].aspect.together) slow_down(fleet.gpus[9].times[i], 1.2);
  expect_named(judge(fleet, settings::usual()), fleet.gpus[9].uuid, pattern::slow_together);
}

TEST_F(judged, slow_in_some_sizes_is_told) {
  auto fleet = measured();
  const auto other_direction = std::ranges::find(fleet.benchmarks, direction::d2h,
                                                 [](const auto& b) { return b.aspect.towards; });
  // One size of three, in both directions.
  for (const auto i : {std::ptrdiff_t{0}, other_direction - fleet.benchmarks.begin()})
    slow_down(fleet.gpus[9].times[static_cast<std::size_t>(i)], 1.08);
  expect_named(judge(fleet, settings::usual()), fleet.gpus[9].uuid, pattern::slow_some);
}

TEST_F(judged, slow_in_one_size_is_not_healthy) {
  auto fleet = measured();
  slow_down(fleet.gpus[9].times[0], 1.08);
  const auto result = judge(fleet, settings::usual());
  EXPECT_EQ(result.verdict, verdict::unknown);
  EXPECT_THAT(result.unknown_gpus, ElementsAre(9));
  EXPECT_TRUE(result.doubts.contains(doubt::single_benchmark));
  slow_down(fleet.gpus[9].times[0], 9);
  expect_named(judge(fleet, settings::usual()), fleet.gpus[9].uuid, pattern::slow_some);
}

TEST_F(judged, one_size_that_is_slow_in_most_repetitions_is_not_healthy) {
  kind.repetitions = 6;
  auto fleet = measured();
  auto& run = fleet.gpus[9].times[0].front();
  for (std::size_t r = 0; r < 4; ++r) run[r] *= 1.3;
  EXPECT_THAT(judge(fleet, settings::usual()).unknown_gpus, ElementsAre(9));
  // Two of three may be chance.
  kind.repetitions = 3;
  fleet = measured();
  for (std::size_t r = 0; r < 2; ++r) fleet.gpus[9].times[0].front()[r] *= 1.3;
  EXPECT_EQ(judge(fleet, settings::usual()).verdict, verdict::healthy);
}

TEST_F(judged, slow_parts_are_no_number_of_slow_ones_within_and_are_told_apart_from_these) {
  const fault gpu{where::gpu, "GPU-node9-0", 0.2}, node{where::node, "node9", 0.1},
      slowest_node{where::node, "node7", 1.0}, rack{where::rack, "rack1", 0.05};
  for (const auto& made : {std::vector{slowest_node}, {rack}, {rack, node, gpu}}) {
    faults = made;
    std::vector<std::string> expected;
    for (const auto& one : made) expected.push_back(one.name);
    EXPECT_EQ(names(found()), expected);
  }
}

TEST_F(judged, gpus_of_half_a_node_or_of_their_own_are_named_themselves) {
  faults = {{where::gpu, "GPU-node5-2", 0.2}, {where::gpu, "GPU-node5-3", 0.2}};
  EXPECT_THAT(names(found()), UnorderedElementsAre("GPU-node5-2", "GPU-node5-3"));
  kind.gpus_in_node = 1;
  faults = {{where::gpu, "GPU-node5-0", 0.1}};
  const auto result = found();
  ASSERT_THAT(names(result), ElementsAre("GPU-node5-0"));
  EXPECT_EQ(result.findings.front().scope, scope::gpu);
}

TEST_F(judged, slow_repetitions_and_slower_models_are_no_slow_gpus) {
  auto fleet = measured();
  for (auto& runs : fleet.gpus[9].times) runs[0][1] *= 1.5;
  EXPECT_EQ(judge(fleet, settings::usual()).verdict, verdict::healthy);
  kind.models = 2;
  fleet = measured();
  for (auto& gpu : fleet.gpus)
    if (gpu.model.ends_with("1")) slow_down(gpu, 2);
  EXPECT_EQ(judge(fleet, settings::usual()).verdict, verdict::healthy);
}

TEST_F(judged, one_fast_repetition_does_not_acquit) {
  kind.repetitions = 5;
  auto fleet = measured();
  for (auto& gpu : fleet.gpus)
    if (gpu.node == "node5" || gpu.uuid == fleet.gpus[9].uuid)
      for (auto& runs : gpu.times)
        for (std::size_t i = 1; i < 5; ++i) runs[0][i] *= 2;
  EXPECT_THAT(names(judge(fleet, settings::usual())),
              testing::IsSupersetOf({std::string("node5"), fleet.gpus[9].uuid}));
}

TEST_F(judged, slow_runs_beside_a_good_one_are_intermittent) {
  const std::vector<std::pair<std::vector<std::size_t>, double>> slow_runs{{{1}, 1.5}, {{1, 2}, 2}};
  for (const auto& [slow, factor] : slow_runs) {
    auto fleet = measured();
    for (auto& gpu : fleet.gpus)
      for (auto& runs : gpu.times) runs = {runs[0], runs[0], runs[0]};
    for (auto& runs : fleet.gpus[9].times)
      for (const auto run : slow)
        for (auto& time : runs[run]) time *= factor;
    const auto result = judge(fleet, settings::usual());
    EXPECT_EQ(result.verdict, verdict::named);
    ASSERT_THAT(names(result), testing::Contains(fleet.gpus[9].uuid));
    EXPECT_EQ(result.findings.front().pattern, pattern::intermittent);
  }
}

TEST_F(judged, figures_without_peers_are_not_known) {
  auto fleet = measured();
  const auto benchmarks = fleet.benchmarks.size();
  for (std::size_t i = 0; i < benchmarks; ++i) {
    auto renamed = fleet.benchmarks[i];
    renamed.name += ", other";
    fleet.benchmarks.push_back(renamed);
  }
  for (auto& gpu : fleet.gpus) gpu.times.resize(2 * benchmarks);
  auto& alone = fleet.gpus[9];
  slow_down(alone, 2);
  std::ranges::rotate(alone.times, alone.times.begin() + static_cast<std::ptrdiff_t>(benchmarks));
  const auto result = judge(fleet, settings::usual());
  EXPECT_EQ(result.verdict, verdict::unknown);
  EXPECT_THAT(result.unknown_gpus, ElementsAre(9));
  EXPECT_TRUE(result.doubts.contains(doubt::uncompared_figures));
}

TEST_F(judged, missing_figures_are_not_healthy) {
  auto fleet = measured();
  fleet.gpus[9].times[0].clear();
  for (const bool all_are_missing : {false, true}) {
    if (all_are_missing)
      for (auto& times : fleet.gpus[9].times) times.clear();
    const auto result = judge(fleet, settings::usual());
    EXPECT_EQ(result.verdict, verdict::unknown);
    EXPECT_THAT(result.unknown_gpus, ElementsAre(9));
    EXPECT_THAT(result.doubts.at(doubt::missing_figures), ElementsAre(9));
  }
}

TEST_F(judged, each_class_that_decides_must_be_measured) {
  auto fleet = measured();
  for (std::size_t i = 0; i < fleet.benchmarks.size(); ++i)
    if (fleet.benchmarks[i].aspect.kind == benchmark_class::latency)
      for (auto& gpu : fleet.gpus) gpu.times[i].clear();
  EXPECT_EQ(judge(fleet, settings::usual()).verdict, verdict::healthy);
  const auto result =
      judge(fleet, settings::usual({benchmark_class::link, benchmark_class::latency}));
  EXPECT_EQ(result.verdict, verdict::unknown);
  EXPECT_THAT(result.doubts.at(doubt::class_not_measured), SizeIs(fleet.gpus.size()));
}

TEST_F(judged, host_devices_are_no_gpus) {
  kind.nodes = 2;
  auto fleet = measured();
  for (std::size_t i = 0; i < fleet.benchmarks.size(); ++i)
    if (fleet.benchmarks[i].aspect.kind == benchmark_class::link)
      fleet.benchmarks[i].aspect.kind = benchmark_class::host;
  for (auto& gpu : fleet.gpus) gpu.on_host = true;
  const auto result = judge(fleet, settings::usual());
  EXPECT_EQ(result.verdict, verdict::unknown);
  EXPECT_THAT(result.doubts.at(doubt::host_device), SizeIs(fleet.gpus.size()));
  EXPECT_FALSE(result.doubts.contains(doubt::class_not_measured));
  // Also where what they have measured decides.
  const auto by_host = judge(fleet, settings::usual({benchmark_class::host}));
  EXPECT_EQ(by_host.verdict, verdict::unknown);
  EXPECT_TRUE(by_host.doubts.contains(doubt::host_device));
}

TEST_F(judged, slow_host_devices_are_found_and_not_named) {
  faults = {{where::gpu, "GPU-node5-2", 0.5, false}};
  auto fleet = measured();
  for (auto& gpu : fleet.gpus) gpu.on_host = true;
  auto result = judge(fleet, settings::usual());
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_THAT(result.not_named, testing::Contains(testing::Field(&finding::name, "GPU-node5-2")));
  EXPECT_EQ(result.verdict, verdict::unknown);
  auto lost = fleet;
  for (std::size_t i = 0; i < lost.gpus.size(); ++i) lost.gpus[i].rank = i;
  lost.world_size = lost.gpus.size() + 1;
  EXPECT_EQ(judge(lost, settings::usual()).verdict, verdict::named);
  fleet.gpus[3].wrong_data = {"copy/pinned/h2d/1MiB"};
  EXPECT_EQ(judge(fleet, settings::usual()).verdict, verdict::named);
}

TEST_F(judged, gpu_that_one_process_shows_to_be_slow_is_to_be_swept_again) {
  const auto advises_to = [&](double slower, std::size_t runs) {
    faults = {{where::gpu, "GPU-node5-2", slower}};
    kind.runs = runs;
    const auto result = found();
    const auto& named = result.findings.at(0);
    EXPECT_EQ(named.processes, runs);
    return named.what_to_do.front() == advice::second_sweep;
  };
  EXPECT_TRUE(advises_to(0.05, 1));
  EXPECT_FALSE(advises_to(0.05, 3));
  EXPECT_FALSE(advises_to(0.5, 1));  // by far
  faults = {{where::node, "node5", 0.05}};
  kind.runs = 1;
  EXPECT_NE(found().findings.at(0).what_to_do.front(), advice::second_sweep);
}

TEST_F(judged, process_that_differs_as_healthy_ones_do_is_not_named_among_few) {
  for (const auto& [nodes, gpus] : {std::pair(1U, 2U), {1U, 4U}, {2U, 1U}, {4U, 1U}}) {
    kind.nodes = nodes;
    kind.gpus_in_node = gpus;
    faults = {{where::gpu, "GPU-node0-0", 0.05}};
    const auto result = found();
    EXPECT_THAT(result.findings, IsEmpty()) << nodes << " x " << gpus;
    EXPECT_EQ(result.verdict, verdict::unknown);
  }
}

TEST_F(judged, links_that_all_run_low_are_not_healthy) {
  auto fleet = measured();
  for (auto& gpu : fleet.gpus) gpu.link = {3, 8, 5, 16};
  const auto result = judge(fleet, settings::usual());
  EXPECT_EQ(result.verdict, verdict::unknown);
  EXPECT_TRUE(result.doubts.contains(doubt::link_below_maximum));
  EXPECT_THAT(result.unknown_gpus, IsEmpty());
}

TEST_F(judged, lower_links_of_a_whole_node_are_one_finding) {
  auto fleet = measured();
  for (auto& gpu : fleet.gpus) {
    gpu.link = {gpu.node == "node5" ? 4 : 5, 16, 5, 16};
    if (gpu.node == "node5") slow_down(gpu, 2);
  }
  const auto result = judge(fleet, settings::usual());
  EXPECT_THAT(names(result), testing::Each("node5"));
  EXPECT_THAT(result.findings,
              testing::Contains(Field(&finding::pattern, pattern::link_generation)));
}

TEST_F(judged, wrong_data_is_a_finding) {
  auto fleet = measured();
  fleet.gpus[9].wrong_data = {"copy/pinned/h2d/1MiB"};
  const auto result = judge(fleet, settings::usual());
  EXPECT_EQ(result.verdict, verdict::named);
  expect_named(result, fleet.gpus[9].uuid, pattern::wrong_data);
}

TEST_F(judged, fast_neighbour_makes_no_gpu_slow) {
  for (const std::size_t gpus : {2U, 3U}) {
    kind.gpus_in_node = gpus;
    auto fleet = measured();
    slow_down(fleet.gpus[9], 0.9);
    EXPECT_THAT(judge(fleet, settings::usual()).findings, IsEmpty());
  }
}

TEST_F(judged, slow_node_of_a_small_rack_is_no_slow_rack) {
  for (const std::size_t nodes : {2U, 4U}) {
    kind.nodes_in_rack = nodes;
    faults = {{where::node, "node0", 0.1}};
    EXPECT_THAT(names(found()), ElementsAre("node0"));
  }
  faults.push_back({where::node, "node1", 0.1});
  EXPECT_THAT(names(found()), UnorderedElementsAre("node0", "node1"));
}

TEST_F(judged, slow_gpu_does_not_hide_the_slower_others_of_its_node) {
  auto fleet = measured();
  slow_down(fleet.gpus[0], 1.05);
  for (const auto gpu : {1U, 2U, 3U})
    for (std::size_t i = 0; i < fleet.benchmarks.size(); i += 3)
      slow_down(fleet.gpus[gpu].times[i], 2);
  EXPECT_THAT(names(judge(fleet, settings::usual())), testing::Contains("node0"));
}

TEST_F(judged, half_of_few_nodes_at_half_speed_is_named) {
  kind.nodes = 4;
  faults = {{where::node, "node0", 1.0}, {where::node, "node1", 1.0}};
  EXPECT_THAT(names(found()), UnorderedElementsAre("node0", "node1"));
  kind.nodes = 3;
  const auto result = found();
  ASSERT_THAT(names(result), UnorderedElementsAre("node0", "node1"));
  EXPECT_NEAR(result.findings.front().worst()->slower.value, 1, 0.05);
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

TEST_F(judged, single_node_has_nothing_to_be_compared_with) {
  kind.nodes = 1;
  EXPECT_EQ(found().verdict, verdict::unknown);
  kind.gpus_in_node = 1;
  for (const auto& scores : found().scores)
    EXPECT_THAT(scores.beside_peers, ElementsAre(std::nullopt));
  kind.nodes = 0;
  EXPECT_EQ(found().verdict, verdict::unknown);
}

TEST_F(judged, noise_that_would_hide_a_slowdown_is_no_health) {
  auto fleet = measured();
  std::normal_distribution<double> noise(0, 0.1);
  for (auto& gpu : fleet.gpus) {
    slow_down(gpu, std::exp(noise(random)));
  }
  const auto result = judge(fleet, settings::usual());
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_EQ(result.verdict, verdict::unknown);
  EXPECT_TRUE(result.doubts.contains(doubt::noise));
}

}  // namespace
}  // namespace bench_transfers::fleet::judge_test
