#include "src/result_file/reader.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "src/common/files.hpp"
#include "src/common/quantities.hpp"
#include "src/common/text.hpp"
#include "src/result_file/contradictions.hpp"
#include "src/result_file/entries.hpp"
#include "src/result_file/json_text.hpp"
#include "src/result_file/rows.hpp"
#include "src/result_file/sentinels.hpp"

namespace bench_transfers::result_file {
namespace {

using json = nlohmann::ordered_json;
using simdjson::dom::element;

constexpr int known_schema = 1;
/// Of lists and objects in each other, as plots/model/strict_json.py has it.
constexpr std::size_t most_depth = 512;

json to_json(const element& value);

json to_json(const simdjson::dom::array& array) {
  json list = json::array();
  for (const auto item : array) list.push_back(to_json(item));
  return list;
}

/// An object but for the members of these names. The first of two members of one name counts, as in
/// rows. They are added at the end, because nlohmann searches all members for each that is
/// assigned.
json to_json(const simdjson::dom::object& object,
             std::initializer_list<std::string_view> left_out = {}) {
  json::object_t members;
  std::unordered_set<std::string_view> keys(left_out);
  members.reserve(object.size());
  for (const auto& [key, item] : object)
    if (keys.insert(key).second) members.push_back({std::string(key), to_json(item)});
  return members;
}

template <class Value>
Value get(const element& value) {
  return value.get<Value>().value();
}

json to_json(const element& value) {
  using enum simdjson::dom::element_type;
  switch (value.type()) {
    case ARRAY: return to_json(get<simdjson::dom::array>(value));
    case OBJECT: return to_json(get<simdjson::dom::object>(value));
    case INT64: {
      // As in JSON that nlohmann has read itself: what is not negative is unsigned.
      const auto number = get<std::int64_t>(value);
      return number < 0 ? json(number) : json(static_cast<std::uint64_t>(number));
    }
    case UINT64: return get<std::uint64_t>(value);
    case DOUBLE: return get<double>(value);
    case STRING: return std::string(get<std::string_view>(value));
    case BOOL: return get<bool>(value);
    case NULL_VALUE: break;
  }
  return nullptr;
}

void require_version(const json& version, const char* name, int known) {
  if (!version.is_number_integer()) throw bad_entry(fmt::format("its {} is no whole number", name));
  if (version != known)
    throw bad_entry(
        fmt::format("its {} is {}, this program reads {}", name, version.dump(), known));
}

void require_schema(const json& context) {
  const auto& schema = member(context, {"json_schema_version"});
  if (!schema.is_null()) require_version(schema, "json_schema_version", known_schema);
}

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
std::map<std::string, Entry> entries_of(const element& transfers, const char* key, From&& from) {
  simdjson::dom::object object;
  if (transfers[key].get(object) != simdjson::SUCCESS)
    throw bad_entry(fmt::format("its {} are no object", key));
  std::map<std::string, Entry> entries;
  for (const auto& [raw_name, entry] : object) {
    const auto name = common::printable(raw_name);
    entries.emplace(name, from(name, to_json(entry)));
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
  return {1 + static_cast<std::size_t>(resumed), list.back().at("complete").get<bool>(),
          static_cast<int>(list.size())};
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

/// What a file says of each benchmark.
void take_descriptions(const element& transfers, contents& into) {
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

/// A run of several processes began with its first one. Files of before 2026-11-28 say when the
/// last one began.
void begin_with_first_process(json& facts) {
  const auto began = text_at(member(facts, {"parts"}).front(), {"started_utc"});
  if (common::parse_timestamp(began)) facts["run"]["started_utc"] = began;
}

/// The rest of what a file has in types.
void take_facts(contents& into) {
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

benchmark described_by_name_alone(const std::string& name) {
  benchmark described;
  described.name = described.family = described.strategy = name;
  described.role = "other";
  return described;
}

[[noreturn]] benchmark refuse_undescribed(const std::string& name) {
  throw bad_benchmark(name, "context.transfers.benchmarks does not have it");
}

/// Takes over what is known of the run, and returns what benchmarks are.
describe_benchmark take_run(const element& transfers, contents& into) {
  require_format(into.facts);
  take_descriptions(transfers, into);
  take_facts(into);
  return refuse_undescribed;
}

/// Of another program's run.
describe_benchmark take_foreign_run(contents& into) {
  into.roles.emplace("other", role{"other", "other benchmarks", table::times});
  return described_by_name_alone;
}

/// It lives as long as the parser.
element element_in(simdjson::dom::parser& parser, std::string text) {
  if (parser.allocate(text.size(), most_depth) != simdjson::SUCCESS)
    throw bad_entry("there is not enough memory to read it");
  return parsed(parser, std::move(text));
}

contents contents_of(std::string text) {
  simdjson::dom::parser parser;
  const auto document = element_in(parser, std::move(text));
  simdjson::dom::array rows;
  if (document["benchmarks"].get(rows) != simdjson::SUCCESS)
    throw bad_entry("it is no result file: it has no list of benchmarks");
  contents read;
  element context, transfers;
  if (document["context"].get(context) == simdjson::SUCCESS && context.is_object())
    read.context = to_json(get<simdjson::dom::object>(context), {"transfers"});
  require_schema(read.context);
  const bool is_own =
      document["context"]["transfers"].get(transfers) == simdjson::SUCCESS && transfers.is_object();
  if (is_own)
    read.facts = to_json(get<simdjson::dom::object>(transfers), {"roles", "metrics", "benchmarks"});
  const auto describe = is_own ? take_run(transfers, read) : take_foreign_run(read);
  read_rows(rows, describe, read);
  require_no_contradiction(read);
  if (read.processes > 1 && read.last_process > 1) begin_with_first_process(read.facts);
  return read;
}

[[noreturn]] void refuse(const std::filesystem::path& file, std::string_view why) {
  throw unusable_file(fmt::format("cannot use {}: {}", common::printable(file.string()), why));
}

}  // namespace

contents read_text(std::string text, const std::filesystem::path& file) {
  try {
    return contents_of(std::move(text));
  } catch (const bad_entry& error) {
    refuse(file, error.what());
  }
}

json document_in(std::string text, const std::filesystem::path& file) {
  try {
    simdjson::dom::parser parser;
    return to_json(element_in(parser, std::move(text)));
  } catch (const bad_entry& error) {
    refuse(file, error.what());
  }
}

contents read(const std::filesystem::path& file) {
  try {
    return read_text(common::read_text(file), file);
  } catch (const common::read_error& error) {
    refuse(file, error.what());
  }
}

contents read_json(const json& document, const std::filesystem::path& file) {
  return read_text(document.dump(-1, ' ', false, json::error_handler_t::replace), file);
}

void require_bench_transfers(const contents& read, const std::filesystem::path& file) {
  if (!read.is_bench_transfers()) refuse(file, "it is no result file of bench_transfers");
}

void require(needed what, const contents& read, const std::filesystem::path& file) {
  if (const auto lacking = lacks(what, read); !lacking.empty()) refuse(file, lacking);
}

}  // namespace bench_transfers::result_file
