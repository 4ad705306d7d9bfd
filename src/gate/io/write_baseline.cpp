#include "src/gate/io/write_baseline.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "src/gate/io/read_baseline.hpp"
#include "src/gate/model/or_null.hpp"
#include "src/result_file/format.hpp"

namespace bench_transfers::gate {
namespace {

using json = nlohmann::ordered_json;

json time_to_json(const std::optional<std::chrono::sys_seconds>& time) {
  if (!time) return nullptr;
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(*time)));
}

/// Nine digits, as result files have them.
double shortened(double value) { return std::stod(fmt::format("{:.9g}", value)); }

json to_json(const history& known) {
  json figures = json::array();
  for (const auto& figure : known.figures)
    figures.push_back(figure ? json(shortened(*figure)) : json(nullptr));
  return {{"bytes", known.bytes ? json(shortened(*known.bytes)) : json(nullptr)},
          {"figures", std::move(figures)}};
}

json to_json(const process& process, std::size_t session) {
  return {{"file", process.file},
          {"session", session},
          {"started_utc", time_to_json(process.started)},
          {"boot", or_null(process.boot)},
          {"card", or_null(process.card)},
          {"content", fmt::format("{:016x}", process.content)}};
}

/// What the runs have declared: files of format 1 declare nothing, and their baselines have neither
/// key.
void add_declaration(const metric& judged_by, json& facts) {
  if (!judged_by.declared) return;
  facts["unit"] = judged_by.declared->unit;
  facts["metric_kind"] = result_file::to_string(judged_by.declared->kind);
}

/// All but the benchmarks and the digest.
json facts_of(const baseline& pinned) {
  const auto sessions = sessions_of(pinned.processes);
  json machine = json::object();
  for (const auto& [key, value] : pinned.machine) machine[key] = value;
  json runs = json::array();
  for (std::size_t i = 0; i < pinned.processes.size(); ++i)
    runs.push_back(to_json(pinned.processes[i], sessions[i]));
  const auto& judged_by = pinned.judged_by;
  json facts{{"format", baseline_format},
             {"kind", baseline_kind},
             {"judged_by", judged_by.key},
             {"better", judged_by.more_is_better ? "more" : "less"}};
  add_declaration(judged_by, facts);
  facts.update({{"of_repetitions", judged_by.fastest_repetition ? "fastest" : "median"},
                {"ours", pinned.ours},
                {"on_host", pinned.on_host},
                {"device", or_null(pinned.device)},
                {"machine", std::move(machine)},
                {"runs", std::move(runs)},
                {"benchmark_count", pinned.benchmarks.size()}});
  return facts;
}

}  // namespace

std::string to_text(const baseline& pinned) {
  // A benchmark a line: a baseline is kept under version control.
  const auto content = facts_of(pinned);
  std::string facts;
  for (const auto& [key, value] : content.items())
    facts += fmt::format("{}: {},\n", json(key).dump(), value.dump());
  std::string benchmarks = "\"benchmarks\": {";
  const char* separator = "\n";
  for (const auto& [name, figures] : pinned.benchmarks) {
    benchmarks += fmt::format("{}{}: {}", separator, json(name).dump(), to_json(figures).dump());
    separator = ",\n";
  }
  benchmarks += "\n}\n}\n";
  const auto digest = digest_of("{\n" + facts + benchmarks);
  return fmt::format("{{\n{}\"digest\": \"{}\",\n{}", facts, digest, benchmarks);
}

}  // namespace bench_transfers::gate
