#include <cmath>
#include <nlohmann/json.hpp>

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

json evidence_of(const sweep& sweep, const gpu& gpu, const finding& found) {
  json aspects = json::array();
  for (const auto& slow : found.aspects) aspects.push_back(to_json(sweep, slow));
  return {{"aspects", aspects}, {"link", to_json(gpu.link)}, {"warnings", gpu.warnings}};
}

json to_json(const sweep& sweep, const finding& found) {
  const auto& gpu = sweep.gpus[found.gpu];
  const auto* worst = found.worst();
  const bool of_gpu = found.scope == scope::gpu;
  return {{"scope", to_string(found.scope)},
          {"gpu", of_gpu ? json(gpu.uuid) : json(nullptr)},
          {"slot", of_gpu ? or_null(gpu.slot) : json(nullptr)},
          {"node", found.scope == scope::rack ? json(nullptr) : json(gpu.node)},
          {"rack", or_null(gpu.rack)},
          {"code", to_string(found.pattern)},
          {"class", to_string(found.kind)},
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
  json document{{"kind", kind_of_file},          {"format", format},
                {"sweep", or_null(sweep.id)},    {"verdict", to_string(judged.verdict)},
                {"gpus", sweep.gpus.size()},     {"findings", json::array()},
                {"unknown_gpus", json::array()}, {"problems", common::to_json(sweep.problems)},
                {"tested", json::array()}};
  for (const auto& found : judged.findings) document["findings"].push_back(to_json(sweep, found));
  for (const auto& missing : judged.missing) document["findings"].push_back(to_json(missing));
  for (const auto gpu : judged.unknown_gpus)
    document["unknown_gpus"].push_back(sweep.gpus[gpu].uuid);
  for (const auto& tested : judged.tested) document["tested"].push_back(to_json(tested));
  return document.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace bench_transfers::fleet
