#include "src/gate/io/facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <vector>

#include "src/common/printable.hpp"
#include "src/gate/io/timestamp.hpp"

namespace bench_transfers::gate {
namespace {

using simdjson::dom::element;

constexpr std::int64_t known_format = 1;
constexpr std::int64_t known_schema = 1;

using path = std::vector<std::string_view>;

/// A member of nested objects; none where there is none, or null.
std::optional<element> member(element in, const path& keys) {
  for (const auto key : keys)
    if (in[key].get(in) != simdjson::SUCCESS) return std::nullopt;
  return in.is_null() ? std::nullopt : std::optional(in);
}

/// A fact in one line; none for what is no text, number or truth.
std::optional<std::string> text_of(const element& fact) {
  std::string_view text;
  bool truth = false;
  double number = 0;
  if (fact.get(text) == simdjson::SUCCESS)
    return text.empty() ? std::nullopt : std::optional(common::printable(text));
  if (fact.get(truth) == simdjson::SUCCESS) return truth ? "true" : "false";
  if (fact.get(number) == simdjson::SUCCESS) return fmt::format("{}", number);
  return std::nullopt;
}

std::string text_at(const element& in, const path& keys) {
  const auto found = member(in, keys);
  return found ? text_of(*found).value_or("") : "";
}

/// A file without it is of a run that has ended.
bool is_complete(const element& facts) {
  bool complete = true;
  if (const auto found = member(facts, {"complete"});
      found && found->get(complete) != simdjson::SUCCESS)
    throw bad_input("its complete is neither true nor false");
  return complete;
}

std::vector<std::string> texts_at(const element& in, const path& keys) {
  std::vector<std::string> texts;
  const auto found = member(in, keys);
  if (!found) return texts;
  simdjson::dom::array list;
  if (found->get(list) != simdjson::SUCCESS)
    throw bad_input(fmt::format("its {} is no list", fmt::join(keys, ".")));
  for (const auto one : list)
    if (auto text = text_of(one)) texts.push_back(std::move(*text));
  return texts;
}

/// Throws unless `number` is `known`, as far as it is there.
void require_version(const std::optional<element>& number, std::int64_t known, const char* what) {
  if (!number) return;
  std::int64_t found = 0;
  if (number->get(found) != simdjson::SUCCESS)
    throw bad_input(fmt::format("its {} is no whole number", what));
  if (found != known)
    throw bad_input(fmt::format("its {} is {}, this program reads {}", what, found, known));
}

/// Whether memory is cached decides about rates by a factor, whatever was asked for.
void add_memory_types(const element& facts, fingerprint& into) {
  const auto blocks = member(facts, {"buffers"});
  simdjson::dom::array list;
  if (!blocks || blocks->get(list) != simdjson::SUCCESS) return;
  std::set<std::string> seen;
  for (const auto block : list) {
    const auto kind = text_at(block, {"memory"});
    const auto type = text_at(block, {"memory_type"});
    const bool known = !kind.empty() && !type.empty();
    if (known && seen.insert(kind).second) into.emplace_back("memory_type." + kind, type);
  }
}

std::optional<std::string> rounded_gib(const element& bytes) {
  double number = 0;
  if (bytes.get(number) != simdjson::SUCCESS) return std::nullopt;
  constexpr double gib = 1 << 30;
  return fmt::format("{}", std::round(number / gib));
}

/// What belongs to a fingerprint, and where a file has it.
struct fact {
  std::string key;
  path place;
  std::optional<std::string> (*text)(const element&) = text_of;
};

/// The list, and its order, are documented at gate::fingerprint.
const std::vector<fact>& known_facts() {
  static const std::vector<fact> facts{
      {"link.generation", {"link", "generation"}},
      {"link.width", {"link", "width"}},
      {"device.name", {"device", "name"}},
      {"device.compute_capability", {"device", "compute_capability"}},
      {"device.driver_version", {"device", "driver_version"}},
      {"device.driver_cuda_version", {"device", "driver_cuda_version"}},
      {"device.runtime_cuda_version", {"device", "runtime_cuda_version"}},
      {"cpu.model", {"machine", "cpu", "model"}},
      {"cpu.numa_nodes", {"machine", "cpu", "numa_nodes"}},
      {"cpu.cpus_allowed", {"machine", "cpu", "cpus_allowed"}},
      {"cpu.governor", {"machine", "cpu", "governor"}},
      {"memory.total_gib", {"machine", "memory", "total_bytes"}, rounded_gib},
      {"memory.transparent_hugepage_enabled",
       {"machine", "memory", "transparent_hugepage_enabled"}},
      {"memory.transparent_hugepage_defrag", {"machine", "memory", "transparent_hugepage_defrag"}},
      {"process.numa_policy_nodes_allowed", {"machine", "process", "numa_policy_nodes_allowed"}},
      {"virtualisation.hypervisor", {"machine", "virtualisation", "hypervisor"}},
      {"iommu.enabled", {"machine", "iommu", "enabled"}},
      {"kernel.release", {"machine", "kernel", "release"}},
      {"program.build_type", {"program", "build_type"}},
      {"settings.min_time_ms", {"run", "min_time_ms"}},
      {"settings.rounds", {"run", "rounds"}},
      {"settings.random_order", {"run", "random_order"}}};
  return facts;
}

fingerprint fingerprint_of(const element& facts) {
  fingerprint found;
  const auto add = [&](const fact& one) {
    const auto value = member(facts, one.place);
    if (auto text = value ? one.text(*value) : std::nullopt)
      found.emplace_back(one.key, std::move(*text));
  };
  const auto& known = known_facts();
  const auto after_link =
      std::ranges::find_if_not(known, [](const fact& one) { return one.key.starts_with("link."); });
  std::for_each(known.begin(), after_link, add);
  add_memory_types(facts, found);
  std::for_each(after_link, known.end(), add);
  return found;
}

void read_facts(const element& facts, run& into) {
  const auto format = member(facts, {"format"});
  if (!format) throw bad_input("it does not say its format (context.transfers.format)");
  require_version(format, known_format, "format");
  const auto kind = text_at(facts, {"device", "kind"});
  if (kind.empty())
    throw bad_input("it does not say what device was measured (context.transfers.device)");
  into.ours = true;
  into.on_host = kind == "host";
  into.device = text_at(facts, {"device", "name"});
  into.card = text_at(facts, {"device", "uuid"});
  into.machine = fingerprint_of(facts);
  into.started = parse_timestamp(text_at(facts, {"run", "started_utc"}));
  into.boot = text_at(facts, {"machine", "kernel", "boot_id"});
  into.faults = texts_at(facts, {"run", "faults_injected"});
  into.complete = is_complete(facts);
  into.warnings = texts_at(facts, {"warnings"});
}

}  // namespace

std::vector<std::string> fact_keys() {
  std::vector<std::string> keys;
  for (const auto& one : known_facts()) keys.push_back(one.key);
  return keys;
}

void read_context(const element& document, run& into) {
  require_version(member(document, {"context", "json_schema_version"}), known_schema,
                  "json_schema_version");
  const auto facts = member(document, {"context", "transfers"});
  if (facts && facts->is_object())
    read_facts(*facts, into);
  else
    into.started = parse_timestamp(text_at(document, {"context", "date"}));
}

}  // namespace bench_transfers::gate
