#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "src/common/or_null.hpp"
#include "src/fleet/report/reports.hpp"
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

json to_json(const aspect& shown) {
  return {{"class", to_string(shown.kind)},
          {"direction", to_string(shown.towards)},
          {"together", shown.together}};
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

bool is_of(const gpu& other, const gpu& first, scope scope) {
  switch (scope) {
    case scope::gpu: return other.uuid == first.uuid;
    case scope::node: return other.node == first.node && other.model == first.model;
    case scope::rack: break;
  }
  return other.rack == first.rack && other.model == first.model;
}

/// The link that all GPUs of the part have, and what any of them warns of.
json evidence_of(const sweep& sweep, const gpu& first, const finding& found) {
  json aspects = json::array();
  for (const auto& slow : found.aspects) aspects.push_back(to_json(sweep, slow));
  bool is_one_link = true;
  std::set<std::string> warnings;
  for (const auto& gpu : sweep.gpus) {
    if (!is_of(gpu, first, found.scope)) continue;
    is_one_link = is_one_link && gpu.link == first.link;
    warnings.insert(gpu.warnings.begin(), gpu.warnings.end());
  }
  json evidence{{"aspects", aspects},
                {"link", is_one_link ? to_json(first.link) : json(nullptr)},
                {"warnings", warnings}};
  if (found.pattern == pattern::wrong_data) evidence["benchmarks"] = first.wrong_data;
  return evidence;
}

json to_json(const sweep& sweep, const finding& found) {
  const auto& gpu = sweep.gpus[found.gpu];
  const auto* worst = found.worst();
  const bool of_gpu = found.scope == scope::gpu;
  return {
      {"scope", to_string(found.scope)},
      {"gpu", of_gpu ? json(gpu.uuid) : json(nullptr)},
      {"slot", of_gpu ? or_null(gpu.slot) : json(nullptr)},
      {"node", found.scope == scope::rack ? json(nullptr) : json(gpu.node)},
      {"rack", or_null(gpu.rack)},
      {"code", to_string(found.pattern)},
      {"class", found.pattern == pattern::wrong_data ? json(nullptr) : json(to_string(found.kind))},
      {"slower_percent", worst ? json(percent(worst->slower.value)) : json(nullptr)},
      {"interval_95", worst ? interval(worst->slower) : json(nullptr)},
      {"confidence", worst ? json(worst->confidence) : json(nullptr)},
      {"evidence", evidence_of(sweep, gpu, found)}};
}

json to_json(const missing_rank& missing) {
  return {{"scope", to_string(scope::gpu)},
          {"gpu", nullptr},
          {"slot", nullptr},
          {"node", or_null(missing.node)},
          {"rack", nullptr},
          {"code", missing_code},
          {"class", nullptr},
          {"slower_percent", nullptr},
          {"interval_95", nullptr},
          {"confidence", nullptr},
          {"evidence", {{"rank", missing.rank}}}};
}

json doubts_of(const sweep& sweep, const judgement& judged) {
  json list = json::array();
  for (const auto& [doubt, gpus] : judged.doubts) {
    json uuids = json::array();
    for (const auto gpu : gpus) uuids.push_back(sweep.gpus[gpu].uuid);
    list.push_back({{"code", to_string(doubt)}, {"gpus", uuids}, {"text", explain(doubt)}});
  }
  return list;
}

json to_json(const tested_aspect& tested) {
  auto entry = to_json(tested.aspect);
  entry["model"] = tested.model;
  entry["scope"] = to_string(tested.parts.scope);
  entry["parts"] = tested.parts.parts;
  entry["detectable_percent"] = percent(tested.detectable);
  return entry;
}

}  // namespace

std::string json_of(const sweep& sweep, const judgement& judged) {
  json document{{"kind", kind_of_file},
                {"format", format},
                {"sweep", or_null(sweep.id)},
                {"verdict", to_string(judged.verdict)},
                {"gpus", sweep.gpus.size()},
                {"findings", json::array()},
                {"unknown_gpus", json::array()},
                {"problems", common::to_json(sweep.problems)},
                {"doubts", doubts_of(sweep, judged)},
                {"tested", json::array()}};
  for (const auto& found : judged.findings) document["findings"].push_back(to_json(sweep, found));
  for (const auto& missing : judged.missing) document["findings"].push_back(to_json(missing));
  for (const auto gpu : judged.unknown_gpus)
    document["unknown_gpus"].push_back(sweep.gpus[gpu].uuid);
  for (const auto& tested : judged.tested) document["tested"].push_back(to_json(tested));
  return document.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace bench_transfers::fleet
