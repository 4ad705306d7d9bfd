#include <fmt/chrono.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "src/gate/model/baseline.hpp"

namespace bench_transfers::gate {
namespace {

using json = nlohmann::ordered_json;

json or_null(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }

json time_to_json(const std::optional<std::chrono::sys_seconds>& time) {
  if (!time) return nullptr;
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(*time)));
}

/// Nine digits, as result files have them.
double shortened(double value) { return std::stod(fmt::format("{:.9g}", value)); }

json to_json(const history& one) {
  json by_process = json::array();
  for (const auto& value : one.figures)
    by_process.push_back(value ? json(shortened(*value)) : json(nullptr));
  return {{"bytes", one.bytes ? json(shortened(*one.bytes)) : json(nullptr)},
          {"figures", std::move(by_process)}};
}

/// All but the benchmarks and the digest.
json facts_of(const baseline& one) {
  const auto sessions = sessions_of(one.processes);
  json machine = json::object();
  for (const auto& [key, value] : one.machine) machine[key] = value;
  json runs = json::array();
  for (std::size_t i = 0; i < one.processes.size(); ++i) {
    const auto& process = one.processes[i];
    runs.push_back({{"file", process.file},
                    {"session", sessions[i]},
                    {"started_utc", time_to_json(process.started)},
                    {"boot", or_null(process.boot)},
                    {"card", or_null(process.card)},
                    {"content", fmt::format("{:016x}", process.content)}});
  }
  return {{"format", baseline_format},
          {"kind", baseline_kind},
          {"judged_by", one.judged_by.key},
          {"better", one.judged_by.more_is_better ? "more" : "less"},
          {"of_repetitions", one.judged_by.fastest_repetition ? "fastest" : "median"},
          {"ours", one.ours},
          {"on_host", one.on_host},
          {"device", or_null(one.device)},
          {"machine", std::move(machine)},
          {"runs", std::move(runs)},
          {"benchmark_count", one.benchmarks.size()}};
}

}  // namespace

std::string to_text(const baseline& one) {
  // A benchmark a line: a baseline is kept under version control.
  const auto content = facts_of(one);
  std::string facts;
  for (const auto& [key, value] : content.items())
    facts += fmt::format("{}: {},\n", json(key).dump(), value.dump());
  std::string benchmarks = "\"benchmarks\": {";
  const char* separator = "\n";
  for (const auto& [name, figures] : one.benchmarks) {
    benchmarks += fmt::format("{}{}: {}", separator, json(name).dump(), to_json(figures).dump());
    separator = ",\n";
  }
  benchmarks += "\n}\n}\n";
  const auto digest = digest_of("{\n" + facts + benchmarks);
  return fmt::format("{{\n{}\"digest\": \"{}\",\n{}", facts, digest, benchmarks);
}

}  // namespace bench_transfers::gate
