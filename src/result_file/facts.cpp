#include "src/result_file/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

#include "src/common/text.hpp"
#include "src/result_file/entries.hpp"
#include "src/result_file/sentinels.hpp"
#include "src/result_file/to_nlohmann.hpp"

namespace bench_transfers::result_file {
namespace {

using json = nlohmann::ordered_json;

void require_format(const json& facts) {
  const auto& format = member(facts, {"format"});
  if (format.is_null()) throw bad_entry("it does not say its format (context.transfers.format)");
  require_version(format, "format", newest_format);
}

bool completeness(const json& facts) {
  const auto& complete = member(facts, {"complete"});
  if (complete.is_null()) return true;
  if (!complete.is_boolean()) throw bad_entry("its complete is neither true nor false");
  return complete.get<bool>();
}

/// The entries of an object below context.transfers, by their printable names. Not by way of one
/// large JSON object, whose members nlohmann searches one after the other.
template <class Entry, class From>
std::map<std::string, Entry> entries_of(const simdjson::dom::object& transfers, const char* key,
                                        From&& from) {
  simdjson::dom::object object;
  if (transfers[key].get(object) != simdjson::SUCCESS)
    throw bad_entry(fmt::format("its {} are no object", key));
  std::map<std::string, Entry> entries;
  for (const auto& [raw_name, entry] : object) {
    const auto name = common::printable(raw_name);
    entries.emplace(name, from(name, to_nlohmann(entry)));
  }
  return entries;
}

/// One after another; a file of a single part has no list of them.
struct part_list {
  std::size_t count = 1;
  bool is_last_complete = true;
  int last = 1;  ///< its number
};

bool is_numbered(const json& part, std::size_t number) {
  return member(part, {"number"}).is_number_unsigned() && member(part, {"number"}) == number;
}

part_list parts_in(const json& facts) {
  const auto& list = member(facts, {"parts"});
  if (list.is_null()) return {};
  if (!list.is_array() || list.empty()) throw bad_entry("its parts are no list of parts");
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!is_numbered(list[i], i + 1))
      throw bad_entry(fmt::format("its part {} has another number", i + 1));
    if (!member(list[i], {"complete"}).is_boolean())
      throw bad_entry(fmt::format("its part {} does not say whether it is complete", i + 1));
  }
  const auto goes_on = [](const json& part) { return member(part, {"resumed"}) != false; };
  const auto resumed = std::count_if(list.begin() + 1, list.end(), goes_on);
  return {.count = 1 + static_cast<std::size_t>(resumed),
          .is_last_complete = list.back().at("complete").get<bool>(),
          .last = static_cast<int>(list.size())};
}

int processes_in(const json& facts) {
  constexpr unsigned most = 100;
  const auto& number = member(facts, {"run", "processes"});
  if (number.is_null()) return 1;
  if (!number.is_number_unsigned() || number < 1U || number > most)
    throw bad_entry("its run.processes is no whole number from 1 on");
  return number.get<int>();
}

const json& list_of(const json& facts, const char* key) {
  const auto& list = member(facts, {key});
  if (!list.is_null() && !list.is_array()) throw bad_entry(fmt::format("its {} is no list", key));
  return list;
}

void require_known_role(const benchmark& described, const std::map<std::string, role>& roles) {
  if (!roles.contains(described.role))
    throw bad_benchmark(described.name, fmt::format("its role '{}' is not among its roles",
                                                    common::printable_in_short(described.role)));
}

void require_known_device(const std::string& title, std::size_t device, std::size_t devices) {
  if (device >= devices)
    throw bad_entry(fmt::format("{}: device {} is not among its devices", title, device));
}

void require_known_devices(const benchmark& described, std::size_t devices) {
  const auto title = fmt::format("benchmark {}", common::printable_in_short(described.name));
  for (const auto device : described.devices) require_known_device(title, device, devices);
  for (const auto& flow : described.flows) require_known_device(title, flow.device, devices);
}

/// The number of devices that a file describes.
std::size_t count_devices(const json& facts) {
  const auto& devices = member(facts, {"devices"});
  if (!devices.is_array() || devices.empty() ||
      !std::ranges::all_of(devices, [](const json& device) { return device.is_object(); }))
    throw bad_entry("it has no list of devices");
  return devices.size();
}

/// What take_descriptions reads is not among contents::facts.
const std::initializer_list<std::string_view> read_as_descriptions{"roles", "metrics",
                                                                   "benchmarks"};

/// What a file says of each benchmark.
void take_descriptions(const simdjson::dom::object& transfers, contents& into) {
  into.roles = entries_of<role>(transfers, "roles", role_from);
  into.metrics = entries_of<metric>(transfers, "metrics", metric_from);
  into.benchmarks = entries_of<benchmark>(transfers, "benchmarks", benchmark_from);
  const auto devices = count_devices(into.facts);
  for (const auto& [name, described] : into.benchmarks) {
    require_known_role(described, into.roles);
    require_known_devices(described, devices);
  }
  for (const auto& [name, described] : into.metrics)
    if (described.flow)
      require_known_device(fmt::format("metric {}", common::printable_in_short(name)),
                           described.flow->device, devices);
}

/// Takes the facts that contents have in types, and checks two that their users read themselves.
void take_typed(contents& into) {
  const auto kind = text_at(into.facts, {"device", "kind"});
  if (kind.empty())
    throw bad_entry("it does not say what device was measured (context.transfers.device)");
  into.on_host = kind == "host";
  if (const auto& why = member(into.facts, {"device", "why_not_gpu"}); !why.is_null())
    static_cast<void>(message_from(why, "device.why_not_gpu"));
  const auto parts = parts_in(into.facts);
  into.parts = parts.count;
  into.complete = completeness(into.facts) && parts.is_last_complete;
  into.processes = processes_in(into.facts);
  into.last_process = parts.last;
  if (into.complete && parts.last < into.processes)
    throw bad_entry("it is complete, and has fewer parts than its run has processes");
  static_cast<void>(sentinels_in(into.facts));
  for (const auto& warning : list_of(into.facts, "warnings"))
    into.warnings.push_back(message_from(warning, "a warning"));
  for (const auto& skip : list_of(into.facts, "skipped"))
    into.skipped.push_back(
        {text_at(skip, {"name"}), message_from(member(skip, {"reason"}), "the reason of a skip")});
}

}  // namespace

void take_facts(const simdjson::dom::object& transfers, contents& into) {
  into.facts = to_nlohmann(transfers, read_as_descriptions);
  require_format(into.facts);
  take_descriptions(transfers, into);
  take_typed(into);
}

}  // namespace bench_transfers::result_file
