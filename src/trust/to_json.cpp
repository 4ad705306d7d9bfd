#include <array>
#include <nlohmann/json.hpp>

#include "src/trust/judgement.hpp"

namespace bench_transfers::trust {
namespace {

using json = nlohmann::ordered_json;

const char* to_string(subject about) {
  constexpr std::array words{"run",        "link",     "host",  "memory", "gpu_clocks",
                             "cpu_clocks", "governor", "noise", "rate",   "both_ways"};
  return words.at(static_cast<std::size_t>(about));
}

const char* to_string(state seen) {
  constexpr std::array words{"good", "warning", "unknown"};
  return words.at(static_cast<std::size_t>(seen));
}

json to_json(const finding& given) {
  return {{"about", to_string(given.about)},
          {"code", given.said.code},
          {"severity", given.warns ? "warning" : "note"},
          {"data", given.said.data},
          {"text", given.said.text},
          {"brief", given.brief},
          {"unknown", given.unknown}};
}

json to_json(const mark& given) {
  return {{"name", given.name},       {"state", to_string(given.state)},
          {"verdict", given.verdict}, {"details", given.details},
          {"clause", given.clause},   {"evidence", given.evidence}};
}

json to_json(const choice& given) {
  return {{"role", given.role},
          {"direction", result_file::to_string(given.towards)},
          {"size_bytes", given.size_bytes},
          {"of_pageable", given.of_pageable},
          {"benchmarks", given.benchmarks}};
}

constexpr auto as_json = [](const auto& given) { return to_json(given); };

}  // namespace

json to_json(const judgement& given) {
  json verdict = nullptr;
  if (given.verdict)
    verdict = {{"lead", given.verdict->lead},
               {"text", given.verdict->text},
               {"severity", given.verdict->warns ? "warning" : "note"}};
  return {{"findings", common::list_of(given.findings, as_json)},
          {"alerts", given.alerts},
          {"marks", common::list_of(given.marks, as_json)},
          {"verdict", verdict},
          {"choices", common::list_of(given.choices, as_json)},
          {"warnings", common::to_json(given.warnings)}};
}

}  // namespace bench_transfers::trust
