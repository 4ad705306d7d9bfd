
#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "src/fleet/judge/judge.hpp"
#include "src/fleet/judge/limits.hpp"
#include "src/fleet/report/reports.hpp"
#include "tests/basics.hpp"
#include "tests/simulation/made_up_fleet.hpp"

namespace bench_transfers::fleet::references_test {
namespace {

using simulation::slow_down;

/// A fleet that is measured twice: what its GPUs differ by is the same each time, within 0.05 %.
class referred : public testing::Test {
 protected:
  simulation::fleet_kind kind{.nodes = 12, .gpus_in_node = 4, .nodes_in_rack = 6};
  std::mt19937_64 random{5};

  void measure() {
    before = simulation::make_up(kind, {}, random);
    now = again();
    others_before.clear();
  }
  /// On one node, three times before: what sweeps of the same GPUs differ by is known then.
  void measure_one_node(std::size_t gpus) {
    kind.nodes = 1;
    kind.gpus_in_node = gpus;
    measure();
    others_before = {again(), again()};
  }
  sweep again() {
    auto copy = before;
    std::normal_distribution<double> noise(0, 0.0005);
    for (auto& gpu : copy.gpus) slow_down(gpu, std::exp(noise(random)));
    return copy;
  }
  [[nodiscard]] judgement judged() const {
    auto accepted = others_before;
    accepted.push_back(before);
    return judge(now, settings::usual(), accepted);
  }
  [[nodiscard]] judgement judged_by_peers() const { return judge(now, settings::usual()); }
  void take_away(const std::string& node) {
    std::erase_if(now.gpus, [&](const gpu& gpu) { return gpu.node == node; });
  }

  sweep before, now;
  std::vector<sweep> others_before;
};

TEST_F(referred, same_fleet_again_is_healthy) {
  measure();
  const auto result = judged();
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_EQ(result.verdict, verdict::healthy);
  for (const auto& scores : result.scores) EXPECT_THAT(scores.since_baseline, SizeIs(48));
}

TEST_F(referred, figures_of_another_procedure_are_not_compared) {
  measure();
  for (auto& gpu : now.gpus) slow_down(gpu, 1.05);
  for (auto& benchmark : now.benchmarks) benchmark.procedure = 2;
  const auto result = judged();
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_EQ(result.verdict, verdict::unknown);
  EXPECT_THAT(result.other_procedures, SizeIs(now.benchmarks.size()));
  EXPECT_THAT(text_of(now, result), HasSubstr("[procedures_differ]"));
  before.benchmarks = now.benchmarks;
  EXPECT_EQ(judged().verdict, verdict::named);
}

TEST_F(referred, reference_that_was_slowed_on_purpose_is_told) {
  measure();
  before.id = "monday";
  before.problems = {{faults_injected_code, {}, "faults were injected on one GPU"}};
  const auto result = judged();
  EXPECT_EQ(result.verdict, verdict::unknown);
  EXPECT_THAT(text_of(now, result),
              HasSubstr("in the reference monday, faults were injected on one "
                        "GPU [reference_faults_injected]"));
}

TEST_F(referred, what_all_have_in_common_is_found_by_the_baseline_alone) {
  measure();
  for (auto& gpu : now.gpus) slow_down(gpu, 1.05);
  EXPECT_EQ(judged_by_peers().verdict, verdict::healthy);
  const auto result = judged();
  ASSERT_THAT(result.findings, SizeIs(1));
  const auto& found = result.findings.front();
  EXPECT_EQ(found.scope, scope::fleet);
  EXPECT_EQ(found.pattern, pattern::slower_than_before);
  EXPECT_EQ(found.reference, reference::baseline);
  EXPECT_NEAR(found.worst()->slower.value, 0.05, 0.003);
  EXPECT_THAT(found.what_to_do, Contains(advice::driver_and_bios));
}

TEST_F(referred, gpu_that_peers_name_is_named_once) {
  measure();
  slow_down(now.gpus[9], 1.1);
  const auto result = judged();
  EXPECT_EQ(1, std::ranges::count(result.findings, benchmark_class::link, &finding::kind));
  EXPECT_EQ(result.findings.front().reference, reference::peers);
}

TEST_F(referred, single_node_is_compared_with_itself) {
  measure_one_node(2);
  EXPECT_EQ(judged_by_peers().verdict, verdict::unknown);
  EXPECT_EQ(judged().verdict, verdict::healthy);
  slow_down(now.gpus[1], 1.04);
  const auto result = judged();
  EXPECT_EQ(result.verdict, verdict::named);
  EXPECT_THAT(result.findings, ElementsAre(AllOf(Field(&finding::name, now.gpus[1].uuid),
                                                 Field(&finding::scope, scope::gpu))));
  slow_down(now.gpus[0], 1.04);
  EXPECT_THAT(judged().findings, ElementsAre(Field(&finding::scope, scope::node)));
}

TEST_F(referred, several_sweeps_show_what_sweeps_of_few_gpus_differ_by) {
  measure_one_node(2);
  slow_down(now.gpus[1], 1.05);
  const auto by_one = judge(now, settings::usual(), std::vector{before});
  EXPECT_THAT(by_one.findings, IsEmpty());
  EXPECT_EQ(by_one.verdict, verdict::unknown);
  EXPECT_EQ(judged().verdict, verdict::named);
  // What differed before may differ now.
  for (auto& gpu : others_before[1].gpus) slow_down(gpu, 1.05);
  EXPECT_THAT(judged().findings, IsEmpty());
}

TEST_F(referred, slowdown_that_would_be_found_is_that_of_the_better_reference) {
  measure_one_node(2);
  auto result = judged();
  for (auto& tested : result.tested)
    tested.detectable = tested.reference == reference::baseline ? 0.0321 : 0.0789;
  EXPECT_THAT(text_of(now, result),
              AllOf(HasSubstr("link: a GPU slower by 3.2"), Not(HasSubstr("7.9"))));
}

TEST_F(referred, two_sizes_that_are_slower_than_before_are_named) {
  measure_one_node(1);
  // One size of three in both directions: the medians do not show it.
  const auto other_direction = std::ranges::find(now.benchmarks, direction::d2h,
                                                 [](const auto& b) { return b.aspect.towards; });
  for (const auto i : {std::ptrdiff_t{0}, other_direction - now.benchmarks.begin()})
    slow_down(now.gpus[0].times[static_cast<std::size_t>(i)], 1.1);
  const auto result = judged();
  ASSERT_THAT(result.findings, SizeIs(1));
  EXPECT_EQ(result.findings.front().pattern, pattern::slower_than_before);
  EXPECT_THAT(result.findings.front().aspects, SizeIs(2));
  for (const auto& slow : result.findings.front().aspects) EXPECT_TRUE(slow.benchmark);
}

TEST_F(referred, size_that_is_slower_in_two_of_three_repetitions_alone_is_chance) {
  measure();
  for (std::size_t i = 0; i < 2; ++i) now.gpus[9].times[0].front()[i] *= 1.3;
  EXPECT_THAT(judged().findings, IsEmpty());
  now.gpus[9].times[0].front()[2] *= 1.3;
  EXPECT_THAT(judged().findings, ElementsAre(Field(&finding::name, now.gpus[9].uuid)));
}

TEST_F(referred, new_gpu_is_compared_with_its_model) {
  measure_one_node(2);
  now.gpus[1].uuid = "GPU-new";
  slow_down(now.gpus[1], 1.05);
  const auto result = judged();
  EXPECT_THAT(result.findings, ElementsAre(Field(&finding::pattern, pattern::slower_than_model)));
  EXPECT_THAT(result.gone, ElementsAre(Field(&gpu::uuid, before.gpus[1].uuid)));
}

TEST_F(referred, baseline_of_one_gpu_does_not_show_what_hosts_differ_by) {
  measure_one_node(1);
  EXPECT_EQ(judged().verdict, verdict::healthy);
  const auto by_host = settings::usual({benchmark_class::host});
  const auto result = judge(now, by_host, std::vector{before});
  EXPECT_EQ(result.verdict, verdict::unknown);
  EXPECT_TRUE(result.doubts.contains(doubt::noise));
}

TEST_F(referred, gpu_that_its_node_has_lost_is_gone) {
  measure();
  now.gpus.erase(now.gpus.begin() + 5);
  const auto result = judged();
  EXPECT_EQ(result.verdict, verdict::named);
  EXPECT_THAT(result.gone, ElementsAre(Field(&gpu::uuid, before.gpus[5].uuid)));
  // A node that is not measured this time is not.
  take_away(before.gpus[5].node);
  EXPECT_THAT(judged().gone, IsEmpty());
}

TEST_F(referred, gpus_whose_files_cannot_be_read_are_not_gone) {
  using json = nlohmann::ordered_json;
  measure();
  const auto gone_with = [&](const json& gpu, const json& gpus = nullptr) {
    json data{{"gpu", gpu}, {"node", now.gpus[0].node}, {"rank", nullptr}};
    if (!gpus.is_null()) data["gpus"] = gpus;
    now.problems = {{unusable_file_code, data, "cannot use it"}};
    return judged().gone.size();
  };
  const auto lost = before.gpus[1].uuid;
  now.gpus.erase(now.gpus.begin() + 1);
  EXPECT_EQ(gone_with(lost), 0U);
  EXPECT_EQ(gone_with("GPU-other"), 1U);
  EXPECT_EQ(gone_with(nullptr), 0U);
  // One of two is gone, and nobody knows which.
  now.gpus.erase(now.gpus.begin() + 1);
  EXPECT_EQ(gone_with(nullptr), 2U);
  now.problems.clear();
  EXPECT_THAT(judged().gone, SizeIs(2));
  // One file of both.
  EXPECT_EQ(gone_with(nullptr, {lost, before.gpus[2].uuid}), 0U);
  EXPECT_EQ(judged().verdict, verdict::unknown);
}

TEST_F(referred, gpu_that_is_gone_and_its_rank_are_one_finding) {
  measure();
  for (std::size_t i = 0; i < before.gpus.size(); ++i) before.gpus[i].rank = i;
  now = again();
  now.world_size = now.gpus.size();
  // The last one of its node: nothing else tells on which node the rank was.
  now.gpus.erase(now.gpus.begin() + 7);
  EXPECT_THAT(judged_by_peers().missing, SizeIs(1));
  auto result = judged();
  EXPECT_THAT(result.missing, IsEmpty());
  EXPECT_THAT(result.gone, ElementsAre(Field(&gpu::rank, 7U)));
  EXPECT_THAT(openmetrics_of(now, result),
              AllOf(HasSubstr("fleet_findings 1\n"), HasSubstr("fleet_missing_ranks 1\n")));
  // GPUs have other ranks now.
  for (auto& gpu : before.gpus) gpu.rank = *gpu.rank + 8;
  now.gpus.erase(now.gpus.begin() + 5);
  result = judged();
  EXPECT_THAT(result.gone, SizeIs(2));
  EXPECT_THAT(result.missing, ElementsAre(Field(&missing_rank::rank, 7U)));
  // A rank of another node is missing by itself.
  std::erase_if(now.gpus, [](const gpu& gpu) { return gpu.rank == 21U; });
  for (auto& gpu : before.gpus) gpu.rank.reset();
  std::erase_if(before.gpus, [](const gpu& gpu) { return gpu.uuid == "GPU-node5-1"; });
  EXPECT_THAT(judged().missing, Contains(Field(&missing_rank::rank, 21U)));
}

TEST_F(referred, nodes_of_the_baseline_that_were_not_measured_are_a_doubt) {
  measure();
  for (const auto* node : {"node3", "node4"}) take_away(node);
  const auto result = judged();
  EXPECT_EQ(result.verdict, verdict::unknown);
  EXPECT_THAT(result.doubts, ElementsAre(testing::Pair(doubt::nodes_not_measured, IsEmpty())));
}

TEST_F(referred, nodes_that_are_declared_absent_are_told_and_no_doubt) {
  measure();
  for (std::size_t i = 0; i < now.gpus.size(); ++i) now.gpus[i].rank = i;
  take_away("node11");
  // Those that were measured, and those that the baseline lacks, say nothing.
  now.absent_nodes = {"node1", "node11", "node99"};
  const auto result = judged();
  EXPECT_EQ(result.verdict, verdict::healthy);
  EXPECT_THAT(result.declared_absent, ElementsAre("node11"));
  EXPECT_THAT(text_of(now, result), HasSubstr("1 node of the baseline, as declared: node11"));
  EXPECT_THAT(openmetrics_of(now, result), HasSubstr("fleet_absent_nodes 1\n"));
  // A node that took part has ranks, whatever is said of it later.
  now.world_size = now.gpus.size() + 4;
  EXPECT_EQ(judged().verdict, verdict::named);
  EXPECT_THAT(judged().missing, SizeIs(4));
  // So does a GPU that its node has lost.
  now.world_size.reset();
  now.absent_nodes.insert("node3");
  std::erase_if(now.gpus, [](const gpu& gpu) { return gpu.uuid == "GPU-node3-2"; });
  EXPECT_THAT(judged().gone, SizeIs(1));
}

TEST_F(referred, nodes_that_have_another_name_are_measured) {
  measure();
  for (auto& gpu : now.gpus) gpu.node = "pod-" + gpu.node;
  EXPECT_THAT(judged().absent_nodes, IsEmpty());
  EXPECT_EQ(judged().verdict, verdict::healthy);
}

TEST_F(referred, baseline_that_began_later_is_a_doubt) {
  measure();
  now.begin = std::chrono::sys_days(std::chrono::year(2026) / 11 / 2);
  before.begin = *now.begin + std::chrono::days(1);
  EXPECT_TRUE(judged().doubts.contains(doubt::baseline_is_later));
  EXPECT_EQ(judged().verdict, verdict::unknown);
  before.begin = *now.begin - std::chrono::days(1);
  EXPECT_EQ(judged().verdict, verdict::healthy);
}

TEST_F(referred, benchmarks_of_one_gpu_alone_are_no_matter_of_the_fleet) {
  measure();
  for (const auto towards : {direction::h2d, direction::d2h})
    for (auto* sweep : {&before, &now}) {
      const auto name = "copy/pinned/more" + to_string(towards);
      sweep->benchmarks.push_back({name, {benchmark_class::link, towards, false}});
      for (auto& gpu : sweep->gpus) gpu.times.emplace_back();
      const double time = sweep == &now ? 1.3e6 : 1e6;
      sweep->gpus[9].times.back() = {{time, time, time}};
    }
  EXPECT_THAT(judged().findings, ElementsAre(AllOf(Field(&finding::scope, scope::gpu),
                                                   Field(&finding::name, now.gpus[9].uuid))));
}

TEST_F(referred, baseline_of_another_model_tells_nothing) {
  measure();
  for (auto& gpu : before.gpus) gpu.model = gpu.uuid += " of another model";
  for (auto& gpu : before.gpus) gpu.node = "elsewhere";
  const auto result = judged();
  EXPECT_EQ(result.verdict, verdict::unknown);
  EXPECT_THAT(result.doubts.at(doubt::not_in_baseline), SizeIs(48));
}

/// Fleets whose link copies are known to be of 64 MiB, at this rate.
class limited : public referred {
 protected:
  void measure_at(double gb_per_s) {
    measure();
    constexpr std::size_t bytes = 64 << 20;
    for (auto& gpu : now.gpus) {
      gpu.model = "NVIDIA H200";
      gpu.link = {5, 16, 5, 16};
    }
    for (std::size_t i = 0; i < now.benchmarks.size(); ++i) {
      if (now.benchmarks[i].aspect.kind != benchmark_class::link) continue;
      now.benchmarks[i].copied_bytes = bytes;
      for (auto& gpu : now.gpus)
        slow_down(gpu.times[i], static_cast<double>(bytes) / gb_per_s / usual_time);
    }
  }

  static constexpr double usual_time = 2.4e6;  ///< of made-up link copies, in ns
};

TEST_F(limited, rates_of_recorded_machines_are_healthy) {
  measure_at(55);
  EXPECT_EQ(judged_by_peers().verdict, verdict::healthy);
  EXPECT_NEAR(*copy_rate(now, now.gpus[0], direction::h2d), 55, 1);
  EXPECT_NEAR(*link_limit(now.gpus[0].link), 57.6, 0.1);
  measure_at(20);
  for (auto& gpu : now.gpus) gpu.link = {};  // nothing is known of them
  EXPECT_THAT(judged_by_peers().findings, IsEmpty());
}

TEST_F(limited, copies_far_below_their_links_are_named_though_all_are_alike) {
  measure_at(30);
  const auto result = judged_by_peers();
  EXPECT_EQ(result.verdict, verdict::named);
  ASSERT_THAT(result.findings, SizeIs(1));
  const auto& found = result.findings.front();
  EXPECT_EQ(found.scope, scope::fleet);
  EXPECT_EQ(found.pattern, pattern::below_link_limit);
  EXPECT_EQ(found.reference, reference::link_limit);
  EXPECT_THAT(found.aspects, SizeIs(2));
  // What has been accepted is so.
  before = now;
  EXPECT_THAT(judged().findings, IsEmpty());
}

TEST_F(limited, slow_gpus_beside_accepted_ones_are_no_node) {
  const std::vector<std::pair<simulation::fleet_kind, std::vector<std::size_t>>> fleets{
      {kind, {9}}, {{.nodes = 1, .gpus_in_node = 8, .nodes_in_rack = 1}, {0, 1, 2, 3, 4}}};
  for (const auto& [of, slow] : fleets) {
    kind = of;
    random.seed(5);
    measure_at(55);
    before = now;
    std::vector<std::string> names;
    for (const auto i : slow) {
      slow_down(now.gpus[i], 2);
      names.push_back(now.gpus[i].uuid);
    }
    const auto found = judged().findings;
    EXPECT_THAT(found, Each(AllOf(Field(&finding::scope, scope::gpu),
                                  Field(&finding::name, testing::AnyOfArray(names)))));
    EXPECT_EQ(std::ranges::count(found, benchmark_class::link, &finding::kind), slow.size());
  }
}

TEST_F(limited, limit_of_a_link_is_evidence_of_what_is_slow_anyway) {
  kind.gpus_in_node = 8;
  measure_at(55);
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t b = 0; b < now.benchmarks.size(); ++b)
      if (now.benchmarks[b].copied_bytes) slow_down(now.gpus[i].times[b], 2);
  const auto result = judged_by_peers();
  ASSERT_THAT(result.findings, SizeIs(1));
  const auto& found = result.findings.front();
  EXPECT_EQ(found.scope, scope::node);
  EXPECT_EQ(found.pattern, pattern::slow);
  ASSERT_TRUE(found.part_of_link);
  EXPECT_NEAR(*found.part_of_link, 0.48, 0.02);
  EXPECT_THAT(found.what_to_do, Contains(advice::slot_setting));
}

TEST_F(limited, copies_below_recorded_machines_are_a_doubt) {
  measure_at(46);
  const auto result = judged_by_peers();
  EXPECT_THAT(result.findings, IsEmpty());
  EXPECT_EQ(result.verdict, verdict::unknown);
  EXPECT_THAT(result.doubts.at(doubt::below_recorded), SizeIs(48));
  EXPECT_THAT(result.unknown_gpus, IsEmpty());
  before = now;
  EXPECT_EQ(judged().verdict, verdict::healthy);
}

}  // namespace
}  // namespace bench_transfers::fleet::references_test
