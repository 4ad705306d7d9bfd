#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "src/common/message.hpp"
#include "src/fleet/report/reports.hpp"
#include "src/fleet/report/sentences.hpp"
#include "src/fleet/report/words.hpp"

namespace bench_transfers::fleet {
namespace {

using common::or_null;
using json = nlohmann::ordered_json;

constexpr int format = 1;
constexpr const char* kind_of_file = "fleet_judgement";

double percent(double part) { return 100 * part; }

json interval(const statistics::estimate& slower) {
  return {percent(slower.low), percent(slower.high)};
}

json to_json(const sweep& sweep, const slow_aspect& shown) {
  auto entry = to_json(shown.aspect);
  entry["benchmark"] =
      shown.benchmark ? json(sweep.benchmarks[*shown.benchmark].name) : json(nullptr);
  entry["slower_percent"] = percent(shown.slower.value);
  entry["interval_95"] = interval(shown.slower);
  entry["confidence"] = shown.confidence;
  return entry;
}

json to_json(const link& shown) {
  return {{"generation", or_null(shown.generation)},
          {"width", or_null(shown.width)},
          {"generation_max", or_null(shown.generation_max)},
          {"width_max", or_null(shown.width_max)}};
}

/// The link that all GPUs of the part have, and what any of them warns of.
json evidence_of(const sweep& sweep, const finding& found) {
  const auto& first = sweep.gpus[found.gpu];
  bool is_one_link = true;
  std::set<std::string> warnings;
  for (const auto index : found.gpus) {
    const auto& gpu = sweep.gpus[index];
    is_one_link = is_one_link && gpu.link == first.link;
    warnings.insert(gpu.warnings.begin(), gpu.warnings.end());
  }
  json evidence{
      {"aspects",
       common::list_of(found.aspects, [&](const auto& slow) { return to_json(sweep, slow); })},
      {"link", is_one_link ? to_json(first.link) : json(nullptr)},
      {"warnings", warnings},
      {"processes", found.processes}};
  if (found.part_of_link) evidence["link_percent"] = percent(*found.part_of_link);
  if (found.pattern == pattern::wrong_data) evidence["benchmarks"] = first.wrong_data;
  return evidence;
}

json to_json(const onset& since) {
  return {{"sweep", or_null(since.sweep)},
          {"begin", common::or_null(since.begin)},
          {"is_first_known", since.is_first_known},
          {"sweeps", since.sweeps}};
}

/// All keys of a finding, in their order. `part`: what its GPUs have in common.
json finding_json(scope scope, const char* code, const gpu& part, const std::vector<advice>& list) {
  return {{"scope", to_string(scope)},
          {"gpu", or_null(part.uuid)},
          {"slot", or_null(part.slot)},
          {"node", or_null(part.node)},
          {"node_count", nullptr},
          {"rack", or_null(part.rack)},
          {"model", or_null(part.model)},
          {"code", code},
          {"class", nullptr},
          {"slower_percent", nullptr},
          {"interval_95", nullptr},
          {"confidence", nullptr},
          {"reference", to_string(reference::peers)},
          {"since", nullptr},
          {"advice", common::list_of(list, [](advice shown) { return to_string(shown); })},
          {"evidence", json::object()}};
}

json to_json(const sweep& sweep, const finding& found) {
  auto entry = finding_json(found.scope, to_string(found.pattern).c_str(), part_of(sweep, found),
                            found.what_to_do);
  entry["node_count"] = nodes_of(sweep, found);
  if (found.pattern != pattern::wrong_data) entry["class"] = to_string(found.kind);
  if (const auto* worst = found.worst()) {
    entry["slower_percent"] = percent(worst->slower.value);
    entry["interval_95"] = interval(worst->slower);
    entry["confidence"] = worst->confidence;
  }
  entry["reference"] = to_string(found.reference);
  if (found.since) entry["since"] = to_json(*found.since);
  entry["evidence"] = evidence_of(sweep, found);
  return entry;
}

json to_json(const missing_rank& missing) {
  gpu part;
  part.node = missing.node;
  part.uuid = missing.uuid;
  part.slot = missing.slot;
  auto entry = finding_json(scope::gpu, missing_code, part, {advice::look_at_node});
  entry["evidence"] = {{"rank", missing.rank}};
  return entry;
}

json gone_to_json(const gpu& gone) {
  auto entry = finding_json(scope::gpu, gone_code, gone, {advice::look_at_node, advice::reseat});
  entry["reference"] = to_string(reference::baseline);
  if (gone.rank) entry["evidence"] = {{"rank", *gone.rank}};
  return entry;
}

/// With three decimals: more would be noise, and eight thousand GPUs make long files.
json rounded_percent(const std::optional<double>& part) {
  if (!part) return nullptr;
  constexpr double thousandths = 1e3;
  return std::round(percent(*part) * thousandths) / thousandths;
}

json scores_of(const sweep& sweep, const judgement& judged) {
  json gpus = json::array();
  const bool has_baseline = !judged.scores.empty() && !judged.scores.front().since_baseline.empty();
  for (std::size_t i = 0; i < sweep.gpus.size(); ++i) {
    const auto& gpu = sweep.gpus[i];
    json beside_peers = json::array(), since_baseline = json::array();
    for (const auto& scores : judged.scores) {
      beside_peers.push_back(rounded_percent(scores.beside_peers[i]));
      if (has_baseline) since_baseline.push_back(rounded_percent(scores.since_baseline[i]));
    }
    gpus.push_back({{"uuid", gpu.uuid},
                    {"node", gpu.node},
                    {"slot", or_null(gpu.slot)},
                    {"rack", or_null(gpu.rack)},
                    {"model", gpu.model},
                    {"slower_percent", beside_peers}});
    if (has_baseline) gpus.back()["slower_than_baseline_percent"] = since_baseline;
  }
  return {{"aspects", common::list_of(judged.scores,
                                      [](const auto& scores) { return to_json(scores.aspect); })},
          {"gpus", gpus}};
}

/// GPUs whose runs were resumed.
json in_parts(const sweep& sweep) {
  json list = json::array();
  for (const auto& gpu : sweep.gpus)
    if (gpu.parts > 1) list.push_back({{"gpu", gpu.uuid}, {"parts", gpu.parts}});
  return list;
}

template <class Indices>
json uuids_of(const sweep& sweep, const Indices& gpus) {
  return common::list_of(gpus, [&](std::size_t gpu) { return sweep.gpus[gpu].uuid; });
}

json doubts_of(const sweep& sweep, const judgement& judged) {
  json list = json::array();
  for (const auto& [doubt, gpus] : judged.doubts) {
    list.push_back({{"code", to_string(doubt)},
                    {"gpus", uuids_of(sweep, gpus)},
                    {"text", explain(doubt, gpus.size())}});
    if (doubt == doubt::nodes_not_measured) list.back()["nodes"] = judged.absent_nodes;
  }
  return list;
}

json to_json(const tested_aspect& tested) {
  auto entry = to_json(tested.aspect);
  entry["model"] = tested.model;
  entry["reference"] = to_string(tested.reference);
  entry["scope"] = to_string(tested.parts.scope);
  entry["parts"] = tested.parts.parts;
  entry["detectable_percent"] = percent(tested.detectable);
  return entry;
}

}  // namespace

std::string json_of(const sweep& sweep, const judgement& judged) {
  const auto findings = [&](const std::vector<finding>& list) {
    return common::list_of(list, [&](const finding& found) { return to_json(sweep, found); });
  };
  json document{{"kind", kind_of_file},
                {"format", format},
                {"sweep", or_null(sweep.id)},
                {"begin", or_null(sweep.begin)},
                {"verdict", to_string(judged.verdict)},
                {"gpus", sweep.gpus.size()},
                {"findings", findings(judged.findings)},
                {"not_named", findings(judged.not_named)},
                {"unknown_gpus", uuids_of(sweep, judged.unknown_gpus)},
                {"in_parts", in_parts(sweep)},
                {"absent_nodes", judged.declared_absent},
                {"problems", common::to_json(problems_of(sweep, judged))},
                {"doubts", doubts_of(sweep, judged)},
                {"thresholds_percent", thresholds_percent()},
                {"tested", common::list_of(judged.tested,
                                           [](const auto& tested) { return to_json(tested); })}};
  for (const auto& missing : judged.missing) document["findings"].push_back(to_json(missing));
  for (const auto& gone : judged.gone) document["findings"].push_back(gone_to_json(gone));
  document["scores"] = scores_of(sweep, judged);
  return common::text_of(document);
}

}  // namespace bench_transfers::fleet
