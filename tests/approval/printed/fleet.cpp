#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "src/fleet/history/history.hpp"
#include "src/fleet/report/reports.hpp"
#include "tests/approval/printed/printed.hpp"
#include "tests/simulation/made_up_fleet.hpp"

namespace bench_transfers::printed_fleet {
namespace {

using namespace fleet;
using printed::titled;
using where = simulation::fault::where;

judgement judged(const sweep& measured) { return judge(measured, settings::usual()); }

sweep made(const std::vector<simulation::fault>& faults = {}) {
  std::mt19937_64 random(3);
  auto measured =
      simulation::make_up({.nodes = 4, .gpus_in_node = 4, .nodes_in_rack = 2}, faults, random);
  for (std::size_t i = 0; i < measured.gpus.size(); ++i) {
    measured.gpus[i].slot = fmt::format("0000:0{}:00.0", i % 4);
    measured.gpus[i].link.width = 16;
  }
  return measured;
}

/// With a slow GPU, a slow node, a rank without results, and a file that is not usable.
sweep ill() {
  auto measured = made({{where::gpu, "GPU-node1-2", 0.2}, {where::node, "node3", 1.0}});
  for (std::size_t i = 0; i < measured.gpus.size(); ++i) measured.gpus[i].rank = i < 7 ? i : i + 1;
  measured.world_size = measured.gpus.size() + 1;
  measured.problems = {{"unusable_file", {{"file", "x.json"}}, "[x] [a](b) cannot read x.json"}};
  return measured;
}

std::string in_text(const std::string& title, const sweep& measured) {
  const auto found = judged(measured);
  return titled(title, text_of(measured, found)) +
         titled(title + ", table", table_of(measured, found)) +
         titled(title + ", Markdown", markdown_of(measured, found));
}

std::string in_every_form(const std::string& title, const sweep& measured) {
  const auto found = judged(measured);
  return in_text(title, measured) + titled(title + ", slowest", table_of(measured, found, 5)) +
         titled(title + ", JUnit", junit_of(measured, found, {})) +
         titled(title + ", OpenMetrics", openmetrics_of(measured, found)) +
         titled(title + ", JSON", json_of(measured, found));
}

/// Wrong data, a lower link, figures that are lacking, runs in parts, and names that mean
/// something to Markdown and OpenMetrics.
sweep with_everything() {
  auto measured = ill();
  measured.gpus[0].wrong_data = measured.gpus[1].wrong_data = {"copy/pinned/h2d/1MiB"};
  measured.gpus[0].rack = measured.gpus[1].rack = "a \"quoted\\rack\"";
  measured.gpus[3].link.width = 8;
  measured.gpus[4].times[0].clear();
  measured.gpus[5].times[0].clear();
  measured.gpus[8].parts = 3;
  for (std::size_t i = 8; i < 12; ++i) measured.gpus[i].node = "a|b<script>";
  for (int i = 0; i < 3; ++i)
    measured.problems.push_back({"same_gpu", {}, fmt::format("twice {}", i)});
  for (int i = 0; i < 28; ++i)
    measured.problems.push_back({"unusable_file", {}, fmt::format("cannot read {}.json", i)});
  const std::string text = "rank 9, GPU GPU-node0-1 on node node0 did not finish its run";
  measured.problems.push_back(
      {"incomplete_run", {{"gpu", "GPU-node0-1"}, {"node", "node0"}}, text});
  return measured;
}

/// The GPUs in one place of all nodes are slow.
std::string of_a_slow_slot() {
  const auto measured = made({{where::slot, simulation::name_of_slot(2), 0.2}});
  const auto found = judged(measured);
  return in_text("slow slot", measured) +
         titled("slow slot, JUnit", junit_of(measured, found, {})) +
         titled("slow slot, OpenMetrics", openmetrics_of(measured, found));
}

sweep on_hosts() {
  auto measured = ill();
  measured.world_size.reset();
  for (auto& gpu : measured.gpus) gpu.on_host = true;
  return measured;
}

std::string one_gpu_among_hosts() {
  auto measured = on_hosts();
  measured.gpus[0].on_host = false;
  return text_of(measured, judged(measured));
}

std::string noisy() {
  const auto measured = ill();
  auto found = judged(measured);
  for (auto& tested : found.tested) tested.detectable = 359.299;
  return text_of(measured, found);
}

void slow_down(gpu& gpu, double factor) {
  for (auto& runs : gpu.times)
    for (auto& run : runs)
      for (auto& time : run) time *= factor;
}

/// All is slower than in the baseline, a GPU is gone, another is new, and a node was not measured.
std::string against_a_baseline() {
  const auto before = made();
  auto now = before;
  for (auto& gpu : now.gpus) slow_down(gpu, 1.05);
  now.gpus[1].uuid = "GPU-new";
  now.gpus.erase(now.gpus.begin() + 6);
  std::erase_if(now.gpus, [](const gpu& gpu) { return gpu.node == "node3"; });
  const auto found = judge(now, settings::usual(), std::vector{before});
  return titled("against a baseline", text_of(now, found)) +
         titled("against a baseline, JUnit", junit_of(now, found, {})) +
         titled("against a baseline, OpenMetrics", openmetrics_of(now, found));
}

/// Nodes that are declared absent, and a rank whose node had a GPU that is gone.
std::string of_absent_parts() {
  auto before = made();
  for (std::size_t i = 0; i < before.gpus.size(); ++i) {
    before.gpus[i].rank = i;
    before.gpus[i].local_rank = i % 4;
    before.gpus[i].local_size = 4;
  }
  auto now = before;
  now.world_size = 12;
  now.absent_nodes = {"node3", "node9"};
  now.begin = std::chrono::sys_days(std::chrono::year(2026) / 11 / 2);
  std::erase_if(now.gpus,
                [](const gpu& gpu) { return gpu.node == "node3" || gpu.uuid == "GPU-node1-3"; });
  auto found = judge(now, settings::usual(), std::vector{before});
  const auto text = titled("declared absent", text_of(now, found));
  found = judged(now);
  add_gpus_of_missing(found, history({record_of(before, judged(before)), record_of(now, found)}));
  return text + titled("a rank's GPU", text_of(now, found));
}

/// Copies reach a part of what their links can carry; those of one node reach less.
std::string of_slow_links() {
  constexpr std::size_t bytes = 64 << 20;
  auto measured = made();
  for (auto& gpu : measured.gpus) {
    gpu.model = "NVIDIA H200";
    gpu.link = {5, 16, 5, 16};
    slow_down(gpu, gpu.node == "node1" ? 2 : 1);
  }
  for (auto& benchmark : measured.benchmarks)
    if (benchmark.aspect.kind == benchmark_class::link) benchmark.copied_bytes = bytes;
  return text_of(measured, judged(measured));
}

/// A GPU that turns slow, others that are gone, moved, replaced and not swept, and lost ranks.
std::string histories() {
  std::vector<sweep_record> records;
  sweep newest;
  const auto add = [&](sweep measured) {
    const auto day = static_cast<int>(records.size()) + 1;
    measured.id = fmt::format("day{}", day);
    measured.begin = std::chrono::sys_days(std::chrono::year(2026) / 11 / day);
    records.push_back(record_of(measured, judged(measured)));
    newest = std::move(measured);
  };
  const std::vector<simulation::fault> slow{{where::gpu, "GPU-node1-2", 0.2}};
  const auto shown = [&](const std::string& title) {
    const history found(records);
    return titled(title, text_of(found)) +
           titled(title + ", a GPU", text_of(found, *found.beginning_with("GPU-node1-2").at(0)));
  };
  add(made());
  auto lost = made();
  for (std::size_t i = 0; i < lost.gpus.size(); ++i) lost.gpus[i].rank = i;
  lost.world_size = lost.gpus.size() + 2;
  add(lost);
  add(made());
  auto text = shown("healthy");
  add(made(slow));
  add(made(slow));
  auto onset = judged(newest);
  add_onsets(newest, onset, history(records));
  text += titled("since when", text_of(newest, onset));
  auto changed = made(slow);
  changed.gpus[0].uuid = "GPU-spare";
  std::swap(changed.gpus[1].uuid, changed.gpus[5].uuid);
  changed.gpus.pop_back();
  add(changed);
  text += shown("slow, moved, replaced and gone");
  auto few = made(slow);
  std::erase_if(few.gpus, [](const gpu& gpu) { return gpu.node != "node0"; });
  add(few);
  return text + shown("not swept");
}

}  // namespace

std::string answers() {
  return in_text("ill", ill()) + in_every_form("everything", with_everything()) + of_a_slow_slot() +
         in_text("without a GPU", on_hosts()) +
         titled("one GPU among hosts", one_gpu_among_hosts()) + titled("noisy", noisy()) +
         against_a_baseline() + of_absent_parts() + titled("slow links", of_slow_links()) +
         histories();
}

}  // namespace bench_transfers::printed_fleet
