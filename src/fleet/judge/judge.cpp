#include "src/fleet/judge/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/fleet/judge/advice.hpp"
#include "src/fleet/judge/findings.hpp"
#include "src/fleet/judge/references.hpp"
#include "src/fleet/judge/scores.hpp"
#include "src/result_file/procedure.hpp"

namespace bench_transfers::fleet {
namespace {

/// Bytes that did not arrive are of one GPU, whether it is slow or not.
std::vector<finding> with_wrong_data(const sweep& sweep, std::vector<finding> findings) {
  for (std::size_t gpu = 0; gpu < sweep.gpus.size(); ++gpu) {
    if (sweep.gpus[gpu].wrong_data.empty()) continue;
    auto& found = findings.emplace_back(finding{
        scope::gpu, gpu, sweep.gpus[gpu].uuid, pattern::wrong_data, benchmark_class::other, {}});
    found.gpus = {gpu};
  }
  return findings;
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
  struct detected {
    bool by_all_peers = true, has_peers = false, by_baseline = false;
  };
  std::map<std::pair<std::string, aspect>, detected> known;
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

/// The doubts of the fleet as a whole.
doubted with_doubts_of_fleet(const question& asked, const absent_parts& absent,
                             const shown& known) {
  auto doubts = known.doubts;
  if (!absent.absent_nodes.empty()) doubts[doubt::nodes_not_measured];
  if (asked.accepted && asked.accepted->is_later(asked.sweep)) doubts[doubt::baseline_is_later];
  if (is_too_noisy(asked, known.tested)) doubts[doubt::noise];
  return doubts;
}

/// Takes out the slowness of host devices, which shows nothing of GPUs, and returns it. Their wrong
/// data are the machine's.
std::vector<finding> set_host_devices_aside(const sweep& sweep, std::vector<finding>& findings) {
  const auto others =
      std::stable_partition(findings.begin(), findings.end(), [&](const finding& found) {
        return found.pattern == pattern::wrong_data || !sweep.gpus[found.gpu].on_host;
      });
  std::vector<finding> aside(others, findings.end());
  findings.erase(others, findings.end());
  return aside;
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
  const bool is_known =
      judged.doubts.empty() && !sweep.gpus.empty() && problems_of(sweep, judged).empty();
  return is_known ? verdict::healthy : verdict::unknown;
}

std::set<std::string> other_procedures(const sweep& sweep, std::span<const fleet::sweep> baseline) {
  result_file::procedures known;
  const auto add = [&](const fleet::sweep& of) {
    for (const auto& benchmark : of.benchmarks) known.add(benchmark.name, benchmark.procedure);
  };
  add(sweep);
  std::ranges::for_each(baseline, add);
  return known.differing();
}

/// A slow reference hides what is slow now.
std::vector<common::message> faults_in(std::span<const sweep> baseline) {
  std::vector<common::message> faults;
  for (const auto& reference : baseline) {
    const auto is_fault = [](const auto& problem) { return problem.code == faults_injected_code; };
    const auto fault = std::ranges::find_if(reference.problems, is_fault);
    if (fault == reference.problems.end()) continue;
    const auto others = std::ranges::count_if(reference.problems, is_fault) - 1;
    faults.push_back(
        {"reference_faults_injected",
         {{"sweep", reference.id}},
         fmt::format("in the reference{}{}, {}{}", reference.id.empty() ? "" : " ", reference.id,
                     fault->text, others == 0 ? "" : fmt::format(", and on {} more", others))});
  }
  return faults;
}

}  // namespace

std::vector<common::message> problems_of(const sweep& sweep, const judgement& judged) {
  auto problems = sweep.problems;
  std::ranges::copy(judged.problems_of_baseline, std::back_inserter(problems));
  if (auto problem = result_file::procedures_differ(judged.other_procedures))
    problems.push_back(std::move(*problem));
  return problems;
}

settings settings::usual(const std::set<benchmark_class>& deciding) {
  settings usual{.classes = {{benchmark_class::link, {.threshold = 0.02, .expected = 0.003}},
                             {benchmark_class::host, {.threshold = 0.1, .expected = 0.07}},
                             {benchmark_class::latency, {.threshold = 0.1, .expected = 0.07}}}};
  for (auto& [kind, criteria] : usual.classes) criteria.decides = deciding.contains(kind);
  return usual;
}

judgement judge(const sweep& sweep, const settings& settings,
                std::span<const fleet::sweep> baseline) {
  const auto left_out = other_procedures(sweep, baseline);
  const auto accepted =
      baseline.empty() ? std::nullopt : std::optional(fleet::baseline(baseline, left_out));
  const question asked{sweep, settings, aspects_of(sweep), peers_of(sweep),
                       accepted ? &*accepted : nullptr};
  judgement judged{beside_link_limits(
                       asked, beside_baseline(asked, with_lower_links(asked, beside_peers(asked)))),
                   absent_in(asked)};
  judged.findings =
      advised(asked, with_wrong_data(sweep, one_for_all_models(asked, std::move(judged.findings))));
  judged.doubts = with_doubts_of_fleet(asked, judged, judged);
  judged.not_named = set_host_devices_aside(sweep, judged.findings);
  judged.unknown_gpus = unknown_gpus(judged.doubts);
  judged.other_procedures = left_out;
  judged.problems_of_baseline = faults_in(baseline);
  judged.verdict = verdict_of(sweep, judged);
  return judged;
}

}  // namespace bench_transfers::fleet
