#include "src/gate/io/write_baseline.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "src/common/message.hpp"
#include "src/gate/io/digest.hpp"
#include "src/result_file/format.hpp"

namespace bench_transfers::gate {
namespace {

using common::or_null;

using json = nlohmann::ordered_json;

/// To nine digits, as in result files.
double shortened(double value) { return std::stod(fmt::format("{:.9g}", value)); }

std::optional<double> shortened(const std::optional<double>& value) {
  return value ? std::optional(shortened(*value)) : std::nullopt;
}

/// What runs do not tell or do not agree in is not there.
void add_work(const work& known, json& entry) {
  const auto add = [&](const char* key, const std::optional<amount>& amount) {
    if (amount)
      entry[key] = {{"by_real_time", shortened(amount->by_real_time)},
                    {"by_cpu_time", shortened(amount->by_cpu_time)}};
  };
  if (known.procedure != 1) entry["procedure"] = known.procedure;
  add("bytes_of_operation", known.bytes);
  add("items_of_operation", known.items);
  if (!known.label.empty()) entry["label"] = known.label;
}

json to_json(const figures_of_processes& figures) {
  return common::list_of(figures, [](const auto& figure) { return or_null(shortened(figure)); });
}

json to_json(const history& history) {
  json entry{{"bytes", or_null(shortened(history.bytes))},
             {"limited_by", to_string(history.limited_by)},
             {"reference", or_null(shortened(history.reference))}};
  add_work(history.work, entry);
  entry["figures"] = to_json(history.figures);
  if (!history.means.empty()) entry["means"] = to_json(history.means);
  if (!history.fastest.empty()) entry["fastest"] = to_json(history.fastest);
  return entry;
}

json to_json(const process& process, std::size_t session) {
  json entry{{"file", process.file},
             {"session", session},
             {"started_utc", or_null(process.started)},
             {"boot", or_null(process.boot)},
             {"card", or_null(process.card)},
             {"content", fmt::format("{:016x}", process.content)},
             {"slot", or_null(process.slot)},
             {"host", or_null(process.host)}};
  if (process.finished) entry["finished_utc"] = or_null(process.finished);
  if (process.measurements) entry["measurements"] = fmt::format("{:016x}", *process.measurements);
  return entry;
}

/// Baselines of runs that declare nothing have neither of these keys.
void add_declaration(const metric& judged_by, json& facts) {
  if (!judged_by.declared) return;
  facts["unit"] = judged_by.declared->unit;
  facts["metric_kind"] = result_file::to_string(judged_by.declared->kind);
}

/// Everything but the benchmarks and the digest.
json facts_of(const baseline& baseline) {
  const auto sessions = sessions_of(baseline.processes);
  json machine = json::object();
  for (const auto& [key, value] : baseline.machine)
    if (!goes_without_saying(key, value)) machine[key] = value;
  json runs = json::array();
  for (std::size_t i = 0; i < baseline.processes.size(); ++i)
    runs.push_back(to_json(baseline.processes[i], sessions[i]));
  const auto& judged_by = baseline.judged_by;
  json facts{{"format", baseline_format},
             {"kind", baseline_kind},
             {"judged_by", judged_by.key},
             {"better", judged_by.more_is_better ? "more" : "less"}};
  add_declaration(judged_by, facts);
  facts.update({{"of_repetitions", judged_by.fastest_repetition ? "fastest" : "median"},
                {"ours", baseline.ours},
                {"on_host", baseline.on_host},
                {"device", or_null(baseline.device)},
                {"machine", std::move(machine)}});
  if (baseline.options) facts["options"] = *baseline.options;
  facts.update({{"runs", std::move(runs)}, {"benchmark_count", baseline.benchmarks.size()}});
  return facts;
}

}  // namespace

std::string to_text(const baseline& baseline) {
  // One benchmark per line: a baseline is kept under version control.
  const auto content = facts_of(baseline);
  std::string facts;
  for (const auto& [key, value] : content.items())
    facts += fmt::format("{}: {},\n", json(key).dump(), value.dump());
  std::string benchmarks = "\"benchmarks\": {";
  const char* separator = "\n";
  for (const auto& [name, history] : baseline.benchmarks) {
    benchmarks += fmt::format("{}{}: {}", separator, json(name).dump(), to_json(history).dump());
    separator = ",\n";
  }
  benchmarks += "\n}\n}\n";
  const auto digest = digest_of("{\n" + facts + benchmarks);
  return fmt::format("{{\n{}\"digest\": \"{}\",\n{}", facts, digest, benchmarks);
}

}  // namespace bench_transfers::gate
