#include "src/gate/io/facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "src/common/program.hpp"
#include "src/common/quantities.hpp"
#include "src/common/text.hpp"
#include "src/gate/io/known_facts.hpp"
#include "src/gate/model/bad_input.hpp"

namespace bench_transfers::gate {
namespace {

using json = nlohmann::ordered_json;
using result_file::member;

/// A fact as one line; none if it is not a text, a number or a truth value.
std::optional<std::string> line_of(const json& fact) {
  if (fact.is_number()) return fmt::format("{}", fact.get<double>());
  if (fact.is_boolean()) return fact.get<bool>() ? "true" : "false";
  if (!fact.is_string()) return std::nullopt;
  const auto& text = fact.get_ref<const std::string&>();
  return text.empty() ? std::nullopt : std::optional(common::printable(text));
}

/// Unlike result_file::text_at, it also accepts numbers: a device whose name is a number has the
/// same name here and in the fingerprint.
std::string line_at(const json& facts, std::initializer_list<const char*> keys) {
  return line_of(member(facts, keys)).value_or("");
}

/// Older files do not tell.
std::optional<std::vector<std::string>> options_in(const json& facts) {
  const auto& list = member(facts, {"run", "options"});
  if (!list.is_array()) return std::nullopt;
  std::vector<std::string> options;
  for (const auto& entry : list) {
    auto line = line_of(entry);
    if (!line || !common::is_measuring_option(*line)) return std::nullopt;
    options.push_back(std::move(*line));
  }
  return options;
}

/// Empty if there are none.
std::vector<std::string> faults_in(const json& facts) {
  const auto& list = member(facts, {"run", "faults_injected"});
  if (!list.is_null() && !list.is_array()) throw bad_input("its run.faults_injected is not a list");
  std::vector<std::string> faults;
  for (const auto& entry : list)
    if (auto line = line_of(entry)) faults.push_back(std::move(*line));
  return faults;
}

/// The type of memory that a run got, whatever it requested: rates of cached and uncached memory
/// differ by a factor.
void add_memory_types(const json& facts, fingerprint& machine) {
  const auto& blocks = member(facts, {"buffers"});
  if (!blocks.is_array()) return;
  std::set<std::string> kinds;
  for (const auto& block : blocks) {
    const auto kind = line_at(block, {"memory"});
    const auto type = line_at(block, {"memory_type"});
    const bool known = !kind.empty() && !type.empty();
    if (known && kinds.insert(kind).second) machine.emplace_back("memory_type." + kind, type);
  }
}

std::optional<std::string> rounded_gib(const json& bytes) {
  if (!bytes.is_number()) return std::nullopt;
  constexpr double gib = 1 << 30;
  return fmt::format("{}", std::round(bytes.get<double>() / gib));
}

std::optional<std::string> line_of_list(const json& list) {
  if (!list.is_array() || list.empty()) return std::nullopt;
  return common::printable(list.dump(-1, ' ', false, json::error_handler_t::replace));
}

std::optional<std::string> line_of(const json& value, known_fact::form form) {
  switch (form) {
    case known_fact::form::gib: return rounded_gib(value);
    case known_fact::form::list: return line_of_list(value);
    case known_fact::form::plain: break;
  }
  return line_of(value);
}

void add_fact(const known_fact& fact, const json& facts, fingerprint& machine) {
  const auto* value = &facts;
  const json* holder = value;
  for (const auto* key : fact.path) value = &member(*(holder = value), {key});
  const auto line = line_of(*value, fact.as).value_or(holder->is_object() ? fact.otherwise : "");
  if (!line.empty()) machine.emplace_back(fact.key, line);
}

/// The same fact of each device of a run, as far as known.
std::string of_all_devices(const json& facts, const char* key) {
  const auto& devices = member(facts, {"devices"});
  if (!devices.is_array() || devices.size() < 2) return line_at(facts, {"device", key});
  std::vector<std::string> known;
  for (const auto& device : devices)
    if (auto line = line_at(device, {key}); !line.empty()) known.push_back(std::move(line));
  return fmt::format("{}", fmt::join(known, ", "));
}

/// Runs of several devices compare only with runs of the same ones.
void add_devices(const result_file::contents& file, fingerprint& machine) {
  const auto& devices = member(file.facts, {"devices"});
  if (!devices.is_array() || devices.size() < 2) return;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < devices.size(); ++i)
    names.push_back(fmt::format(
        "{} {} (PCIe {} x{})", result_file::id_of_device(file, i), line_at(devices.at(i), {"name"}),
        line_at(devices.at(i), {"link", "generation"}), line_at(devices.at(i), {"link", "width"})));
  machine.emplace_back("devices", fmt::format("{}", fmt::join(names, ", ")));
}

/// Memory types explain less than the link and more than the other facts.
fingerprint fingerprint_of(const json& facts) {
  fingerprint machine;
  const auto known = known_facts();
  const auto after_link = std::ranges::find_if_not(
      known, [](const known_fact& fact) { return fact.key.starts_with("link."); });
  for (auto fact = known.begin(); fact != after_link; ++fact) add_fact(*fact, facts, machine);
  add_memory_types(facts, machine);
  for (auto fact = after_link; fact != known.end(); ++fact) add_fact(*fact, facts, machine);
  return machine;
}

/// The file's own declaration of the field judged by, if that is a counter.
std::optional<declaration> declared_in(const result_file::contents& file, const metric& judged_by) {
  const auto entry = file.metrics.find(common::printable(judged_by.key));
  if (entry == file.metrics.end() || !judged_by.is_counter()) return std::nullopt;
  const auto& counter = entry->second;
  std::optional<bool> more_is_better;
  if (counter.better) more_is_better = *counter.better == result_file::better::more;
  return declaration{counter.unit, counter.kind, more_is_better};
}

void add_period(const json& part, run& run) {
  if (const auto begin = common::parse_timestamp(line_at(part, {"started_utc"})))
    run.periods.push_back({*begin, common::parse_timestamp(line_at(part, {"finished_utc"}))});
}

/// A run in parts began with its first: files of its parts have the same start.
void take_times(const json& facts, run& run) {
  const auto& parts = member(facts, {"parts"});
  const bool is_in_parts = parts.is_array() && !parts.empty();
  if (!is_in_parts) add_period(member(facts, {"run"}), run);
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (run.process.has(static_cast<int>(i) + 1)) add_period(parts[i], run);
  if (!run.periods.empty()) run.started = run.periods.front().begin;
  run.boot = line_at(facts, {"machine", "kernel", "boot_id"});
  for (std::size_t i = parts.size(); is_in_parts && i-- > 0;)
    if (run.process.has(static_cast<int>(i) + 1)) run.boot = line_at(parts[i], {"boot_id"});
}

void read_bench_transfers_facts(const result_file::contents& file, run& run) {
  const auto& facts = file.facts;
  run.ours = true;
  run.on_host = file.on_host;
  run.device = line_at(facts, {"device", "name"});
  run.card = of_all_devices(facts, "uuid");
  run.slot = of_all_devices(facts, "pci_bus_id");
  run.machine = fingerprint_of(facts);
  add_devices(file, run.machine);
  take_times(facts, run);
  run.faults = faults_in(facts);
  run.options = options_in(facts);
  run.complete = file.complete;
  run.parts = run.process.is_last() ? file.parts : 1;  // what is resumed is the last one's
  for (const auto& warning : file.warnings) run.warnings.push_back({warning.code, warning.text});
}

void read_facts_of_another_program(const json& context, run& run) {
  for (const auto& fact : facts_of_other_programs()) add_fact(fact, context, run.machine);
  run.host = line_at(context, {"host_name"});
  run.started = common::parse_timestamp(line_at(context, {"date"}));
}

}  // namespace

void read_facts(const result_file::contents& file, const metric& judged_by, run& run) {
  if (file.is_bench_transfers())
    read_bench_transfers_facts(file, run);
  else
    read_facts_of_another_program(file.context, run);
  run.declared = declared_in(file, judged_by);
}

}  // namespace bench_transfers::gate
