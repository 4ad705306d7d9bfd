#include "src/gate/io/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "src/common/printable.hpp"
#include "src/gate/io/known_facts.hpp"
#include "src/gate/io/timestamp.hpp"
#include "src/gate/model/bad_input.hpp"

namespace bench_transfers::gate {
namespace {

using json = nlohmann::ordered_json;
using result_file::member;

/// A fact in one line; none for what is not a text, number or truth.
std::optional<std::string> line_of(const json& fact) {
  if (fact.is_number()) return fmt::format("{}", fact.get<double>());
  if (fact.is_boolean()) return fact.get<bool>() ? "true" : "false";
  if (!fact.is_string()) return std::nullopt;
  const auto& text = fact.get_ref<const std::string&>();
  return text.empty() ? std::nullopt : std::optional(common::printable(text));
}

/// Also of numbers, unlike result_file::text_at: a device whose name is one has the same name here
/// and in the fingerprint.
std::string line_at(const json& in, std::initializer_list<const char*> keys) {
  return line_of(member(in, keys)).value_or("");
}

/// Empty where there are none.
std::vector<std::string> faults_in(const json& facts) {
  const auto& list = member(facts, {"run", "faults_injected"});
  if (!list.is_null() && !list.is_array()) throw bad_input("its run.faults_injected is not a list");
  std::vector<std::string> faults;
  for (const auto& entry : list)
    if (auto line = line_of(entry)) faults.push_back(std::move(*line));
  return faults;
}

/// Whether memory is cached decides about rates by a factor, whatever was asked for.
void add_memory_types(const json& facts, fingerprint& into) {
  const auto& blocks = member(facts, {"buffers"});
  if (!blocks.is_array()) return;
  std::set<std::string> seen;
  for (const auto& block : blocks) {
    const auto kind = line_at(block, {"memory"});
    const auto type = line_at(block, {"memory_type"});
    const bool known = !kind.empty() && !type.empty();
    if (known && seen.insert(kind).second) into.emplace_back("memory_type." + kind, type);
  }
}

std::optional<std::string> rounded_gib(const json& bytes) {
  if (!bytes.is_number()) return std::nullopt;
  constexpr double gib = 1 << 30;
  return fmt::format("{}", std::round(bytes.get<double>() / gib));
}

void add_fact(const known_fact& fact, const json& facts, fingerprint& into) {
  const auto* value = &facts;
  for (const auto* key : fact.place) value = &member(*value, {key});
  if (auto line = fact.in_gib ? rounded_gib(*value) : line_of(*value))
    into.emplace_back(fact.key, std::move(*line));
}

/// Memory types explain less than the link, and more than the rest.
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

/// What the file itself says about the field judged by, where that is a counter. The metrics of a
/// file of format 1 are this program's: a baseline of such files declares nothing either.
std::optional<declaration> declared_in(const result_file::contents& file, const metric& judged_by) {
  const auto entry = file.metrics.find(common::printable(judged_by.key));
  if (file.format < 2 || entry == file.metrics.end() || !judged_by.is_counter())
    return std::nullopt;
  const auto& counter = entry->second;
  std::optional<bool> more_is_better;
  if (counter.better) more_is_better = *counter.better == result_file::better::more;
  return declaration{counter.unit, counter.kind, more_is_better};
}

void read_own_facts(const result_file::contents& file, run& into) {
  const auto& facts = file.facts;
  into.ours = true;
  into.on_host = file.on_host;
  into.device = line_at(facts, {"device", "name"});
  into.card = line_at(facts, {"device", "uuid"});
  into.machine = fingerprint_of(facts);
  into.started = parse_timestamp(line_at(facts, {"run", "started_utc"}));
  into.boot = line_at(facts, {"machine", "kernel", "boot_id"});
  into.faults = faults_in(facts);
  into.complete = file.complete;
  for (const auto& warning : file.warnings) into.warnings.push_back({warning.code, warning.text});
}

}  // namespace

void read_facts(const result_file::contents& file, const metric& judged_by, run& into) {
  if (file.is_bench_transfers())
    read_own_facts(file, into);
  else
    into.started = parse_timestamp(line_at(file.context, {"date"}));
  into.declared = declared_in(file, judged_by);
}

}  // namespace bench_transfers::gate
