#include "src/fleet/judge/judge.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/fleet/judge/advice.hpp"
#include "src/fleet/judge/by_peers.hpp"
#include "src/fleet/judge/by_references.hpp"
#include "src/fleet/judge/findings.hpp"
#include "src/fleet/judge/question.hpp"
#include "src/fleet/judge/scores.hpp"

namespace bench_transfers::fleet {
namespace {

/// Bytes that did not arrive are of one GPU, whether it is slow or not.
std::vector<finding> wrong_data_in(const sweep& sweep) {
  std::vector<finding> list;
  for (std::size_t gpu = 0; gpu < sweep.gpus.size(); ++gpu) {
    if (sweep.gpus[gpu].wrong_data.empty()) continue;
    auto& found = list.emplace_back(finding{
        scope::gpu, gpu, sweep.gpus[gpu].uuid, pattern::wrong_data, benchmark_class::other, {}});
    found.gpus = {gpu};
  }
  return list;
}

std::size_t processes_of(const sweep& sweep, const finding& found) {
  std::size_t most = 0;
  for (const auto& runs : sweep.gpus[found.gpu].times) most = std::max(most, runs.size());
  return most;
}

/// Whether a healthy GPU can have a process as slow: peers differ less in one sweep than one of
/// them does from process to process (docs/FLEET.md). A lower link is a fact.
bool may_be_of_process(const finding& found, const settings& settings) {
  const auto* worst = found.worst();
  const bool is_link =
      found.pattern == pattern::link_generation || found.pattern == pattern::link_width;
  return worst && found.scope == scope::gpu && found.processes == 1 && !is_link &&
         found.reference != reference::link_limit && found.pattern != pattern::intermittent &&
         worst->slower.value < as_part(beyond_chance(settings.classes.at(found.kind).expected));
}

/// What the findings rest on, and what to do about them; the widest parts first.
std::vector<finding> advised(const question& asked, std::vector<finding> findings) {
  for (auto& found : findings) {
    found.processes = processes_of(asked.sweep, found);
    found.what_to_do = advice_for(asked.sweep, found);
    if (may_be_of_process(found, asked.settings))
      found.what_to_do.insert(found.what_to_do.begin(), advice::second_sweep);
  }
  std::ranges::stable_sort(findings, std::greater{}, &finding::scope);
  return findings;
}

/// Whether peers or, where they do not, the baseline would have shown what must be detected of GPUs
/// and nodes.
bool is_too_noisy(const question& asked, const std::vector<tested_aspect>& all) {
  struct shown {
    bool by_all_peers = true, has_peers = false, by_baseline = false;
  };
  std::map<std::pair<std::string, aspect>, shown> known;
  for (const auto& tested : all) {
    if (!asked.decides(tested.aspect.kind) || is_wide(tested.parts.scope)) continue;
    auto& shown = known[{tested.model, tested.aspect}];
    const bool is_shown = tested.detectable <= asked.settings.must_detect;
    if (tested.reference == reference::baseline) {
      shown.by_baseline = is_shown;
    } else {
      shown.has_peers = true;
      shown.by_all_peers = shown.by_all_peers && is_shown;
    }
  }
  return std::ranges::any_of(known, [](const auto& entry) {
    const auto& [by_all_peers, has_peers, by_baseline] = entry.second;
    return !by_baseline && !(has_peers && by_all_peers);
  });
}

/// Slowness of host devices shows nothing of GPUs. Their wrong data are the machine's.
void set_host_devices_aside(const sweep& sweep, judgement& judged) {
  auto& findings = judged.findings;
  const auto others =
      std::stable_partition(findings.begin(), findings.end(), [&](const finding& found) {
        return found.pattern == pattern::wrong_data || !sweep.gpus[found.gpu].on_host;
      });
  judged.not_named.assign(others, findings.end());
  findings.erase(others, findings.end());
}

std::vector<std::size_t> unknown_gpus(const doubted& doubts) {
  std::set<std::size_t> unknown;
  for (const auto& [doubt, gpus] : doubts)
    if (doubt < doubt::link_below_maximum) unknown.insert(gpus.begin(), gpus.end());
  return {unknown.begin(), unknown.end()};
}

verdict verdict_of(const sweep& sweep, const judgement& judged) {
  if (!judged.findings.empty() || !judged.missing.empty() || !judged.gone.empty())
    return verdict::named;
  const bool is_known = judged.doubts.empty() && !sweep.gpus.empty() && sweep.problems.empty();
  return is_known ? verdict::healthy : verdict::unknown;
}

}  // namespace

settings settings::usual(const std::set<benchmark_class>& deciding) {
  settings usual{.classes = {{benchmark_class::link, {.threshold = 0.02, .expected = 0.003}},
                             {benchmark_class::host, {.threshold = 0.1, .expected = 0.07}},
                             {benchmark_class::latency, {.threshold = 0.1, .expected = 0.07}}}};
  for (auto& [kind, criteria] : usual.classes) criteria.decides = deciding.contains(kind);
  return usual;
}

judgement judge(const sweep& sweep, const settings& settings,
                std::span<const fleet::sweep> baseline) {
  const auto accepted = baseline.empty() ? std::nullopt : std::optional(fleet::baseline(baseline));
  const question asked{sweep, settings, aspects_of(sweep), peers_of(sweep),
                       accepted ? &*accepted : nullptr};
  auto by_peers = judge_by_peers(asked);
  judgement judged;
  judged.findings = std::move(by_peers.findings);
  judged.tested = std::move(by_peers.tested);
  judged.scores = std::move(by_peers.scores);
  judged.doubts = std::move(by_peers.doubts);
  compare_links(asked, judged.findings, judged.doubts);
  judge_by_baseline(asked, judged);
  judge_by_links(asked, judged);
  if (asked.accepted) take_out_lone_benchmarks(asked, judged.findings, judged.doubts);
  judged.findings = one_for_all_models(asked, std::move(judged.findings));
  judged.missing = missing_ranks(sweep);
  add_gone(asked, judged);
  std::ranges::move(wrong_data_in(sweep), std::back_inserter(judged.findings));
  judged.findings = advised(asked, std::move(judged.findings));
  if (is_too_noisy(asked, judged.tested)) judged.doubts[doubt::noise];
  set_host_devices_aside(sweep, judged);
  judged.unknown_gpus = unknown_gpus(judged.doubts);
  judged.verdict = verdict_of(sweep, judged);
  return judged;
}

}  // namespace bench_transfers::fleet
