#include "src/gate/io/read_baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "src/common/printable.hpp"
#include "src/common/read_text.hpp"
#include "src/gate/io/hash.hpp"
#include "src/gate/io/timestamp.hpp"
#include "src/gate/model/bad_input.hpp"
#include "src/result_file/entries.hpp"
#include "src/result_file/format.hpp"
#include "src/result_file/json_text.hpp"

namespace bench_transfers::gate {
namespace {

using simdjson::dom::element;

constexpr std::string_view digest_key = "digest";
/// The first format: its digest covers runs, names and figures alone.
constexpr std::int64_t format_of_figures = 1;

element part(const element& of, std::string_view key) {
  element value;
  if (of[key].get(value) != simdjson::SUCCESS)
    throw bad_input(fmt::format("it is a damaged baseline: it has no '{}'", key));
  return value;
}

/// As a text, a list, an object, a number or a truth.
template <class Value>
Value as(const element& value, std::string_view key, std::string_view kind) {
  Value found{};
  if (value.get(found) != simdjson::SUCCESS)
    throw bad_input(fmt::format("it is a damaged baseline: its '{}' is not a {}", key, kind));
  return found;
}

std::string_view raw_text_in(const element& of, std::string_view key) {
  return as<std::string_view>(part(of, key), key, "text");
}

std::string text_in(const element& of, std::string_view key) {
  const auto value = part(of, key);
  return value.is_null() ? std::string()
                         : common::printable(as<std::string_view>(value, key, "text"));
}

simdjson::dom::array list_in(const element& of, std::string_view key) {
  return as<simdjson::dom::array>(part(of, key), key, "list");
}

simdjson::dom::object object_in(const element& of, std::string_view key) {
  return as<simdjson::dom::object>(part(of, key), key, "object");
}

bool truth_in(const element& of, std::string_view key) {
  return as<bool>(part(of, key), key, "truth value");
}

double positive(const element& value, std::string_view key) {
  const auto number = as<double>(value, key, "number");
  if (!std::isfinite(number) || number <= 0) throw bad_input("a value that is not positive");
  return number;
}

double figure_in(const element& value, const metric& judged_by) {
  const auto number = positive(value, "figures");
  if (!judged_by.can_be(number))
    throw bad_input(fmt::format("a value that nobody can have measured: {}", number));
  return number;
}

std::uint64_t hexadecimal(std::string_view text, std::string_view key) {
  std::uint64_t value = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{} || stopped != text.data() + text.size())
    throw bad_input(fmt::format("its '{}' is not a hexadecimal number", key));
  return value;
}

process process_in(const element& of) {
  process one;
  one.file = text_in(of, "file");
  if (const auto started = text_in(of, "started_utc"); !started.empty()) {
    one.started = parse_timestamp(started);
    if (!one.started) throw bad_input(fmt::format("it has an invalid timestamp: '{}'", started));
  }
  one.boot = text_in(of, "boot");
  one.card = text_in(of, "card");
  one.content = hexadecimal(text_in(of, "content"), "content");
  return one;
}

history history_in(const element& of, std::size_t processes, const metric& judged_by) {
  history one;
  if (const auto bytes = part(of, "bytes"); !bytes.is_null()) one.bytes = positive(bytes, "bytes");
  std::size_t measured_by = 0;
  for (const auto value : list_in(of, "figures")) {
    one.figures.emplace_back();
    if (value.is_null()) continue;
    one.figures.back() = figure_in(value, judged_by);
    ++measured_by;
  }
  if (one.figures.size() != processes) throw bad_input("more or fewer values than there are runs");
  if (measured_by < least_processes) throw bad_input("fewer than three values");
  return one;
}

/// "more" or "less", and so on: which of two words a text is.
bool is_first_of(const element& content, std::string_view key, const std::string& first,
                 const std::string& second) {
  const auto word = text_in(content, key);
  if (word != first && word != second)
    throw bad_input(fmt::format("its '{}' is neither {} nor {}", key, first, second));
  return word == first;
}

/// None in baselines of runs that declare nothing.
std::optional<declaration> declared_in(const element& content, bool more_is_better) {
  if (content["unit"].error() != simdjson::SUCCESS &&
      content["metric_kind"].error() != simdjson::SUCCESS)
    return std::nullopt;
  const auto kind = result_file::metric_kind_from(text_in(content, "metric_kind"));
  if (!kind) throw bad_input("its 'metric_kind' is unknown");
  return declaration{text_in(content, "unit"), *kind, more_is_better};
}

metric metric_in(const element& content) {
  auto judged_by = metric::named(text_in(content, "judged_by"));
  if (judged_by.key.empty()) throw bad_input("it does not say what it is judged by");
  judged_by.more_is_better = is_first_of(content, "better", "more", "less");
  judged_by = judged_by.with(declared_in(content, judged_by.more_is_better));
  if (judged_by.is_time() && judged_by.more_is_better)
    throw bad_input("it is judged by a time of which more is better");
  judged_by.fastest_repetition = !is_first_of(content, "of_repetitions", "median", "fastest");
  return judged_by;
}

/// The facts by which a machine is known again. A baseline of ours without any would take runs of
/// every machine.
fingerprint machine_in(const element& content, bool ours) {
  fingerprint machine;
  std::set<std::string> keys;
  for (const auto& [key, value] : object_in(content, "machine")) {
    machine.emplace_back(common::printable(key),
                         common::printable(as<std::string_view>(value, key, "text")));
    if (!keys.insert(machine.back().first).second)
      throw bad_input(fmt::format("it has {} twice", machine.back().first));
  }
  if (ours && machine.empty()) throw bad_input("it does not say of which machine it is");
  return machine;
}

std::vector<process> processes_in(const simdjson::dom::array& content) {
  if (content.size() < least_processes) throw bad_input("it has fewer than three runs");
  if (content.size() > most_processes)
    throw bad_input(fmt::format("it has more than {} runs", most_processes));
  std::vector<process> all;
  std::map<std::uint64_t, std::string> seen;
  for (const auto entry : content) {
    all.push_back(process_in(entry));
    const auto [other, is_new] = seen.emplace(all.back().content, all.back().file);
    if (!is_new)
      throw bad_input(fmt::format("two of its runs are the same: '{}' and '{}'", other->second,
                                  all.back().file));
  }
  return all;
}

/// What cannot be, whatever was pinned: a line of another baseline has taken its place.
void require_possible(const baseline& one) {
  if (!one.ours && !one.machine.empty())
    throw bad_input("it says of which machine it is, which no other program's files do");
  for (const auto& [key, value] : one.machine)
    if (key == "device.name" && value != one.device)
      throw bad_input(
          fmt::format("its device is '{}', and that of its machine '{}'", one.device, value));
}

/// Of a key that is there twice, one would be believed, and nobody would know which.
void require_each_key_once(const element& part) {
  if (part.is_array())
    for (const auto one : simdjson::dom::array(part)) require_each_key_once(one);
  if (!part.is_object()) return;
  std::vector<std::string_view> keys;
  for (const auto& [key, value] : simdjson::dom::object(part)) {
    keys.push_back(key);
    require_each_key_once(value);
  }
  std::ranges::sort(keys);
  if (const auto twice = std::ranges::adjacent_find(keys); twice != keys.end())
    throw bad_input(fmt::format("it has {} twice", common::printable_in_short(*twice)));
}

/// All that a part says; how its numbers and white space are written does not count.
void add(const element& part, hash& to) {
  using simdjson::dom::element_type;
  const auto type = part.is_number() ? element_type::DOUBLE : part.type();
  to.add(static_cast<std::uint64_t>(type));
  switch (type) {
    case element_type::ARRAY: {
      const simdjson::dom::array list(part);
      to.add(list.size());
      for (const auto one : list) add(one, to);
      break;
    }
    case element_type::OBJECT: {
      const simdjson::dom::object object(part);
      to.add(object.size());
      for (const auto& [key, value] : object) {
        to.add(key);
        add(value, to);
      }
      break;
    }
    case element_type::STRING: to.add(std::string_view(part)); break;
    case element_type::BOOL: to.add(std::uint64_t{bool(part)}); break;
    case element_type::NULL_VALUE: break;
    default: to.add(std::bit_cast<std::uint64_t>(double(part)));
  }
}

std::string digest_of(const element& content) {
  hash all;
  for (const auto& [key, value] : simdjson::dom::object(content)) {
    if (key == digest_key) continue;
    all.add(key);
    add(value, all);
  }
  return fmt::format("{:016x}", all.value());
}

/// Of runs, names and figures, as the first format has it.
std::string digest_of_figures(const baseline& one) {
  hash all;
  const auto add = [&](const std::optional<double>& value) {
    const double number =
        value ? std::stod(fmt::format("{:.9g}", *value)) : 0;  // figures are positive
    all.add(&number, sizeof(number));
  };
  for (const auto& process : one.processes) all.add(process.content);
  for (const auto& [name, figures] : one.benchmarks) {
    all.add(std::string_view(name));
    add(figures.bytes);
    for (const auto& value : figures.figures) add(value);
  }
  return fmt::format("{:016x}", all.value());
}

std::int64_t format_of(const element& content) {
  const auto value = part(content, "format");
  std::int64_t format = 0;
  // A number that is not whole, or too large for one, has no value as one.
  if (value.get(format) != simdjson::SUCCESS) throw bad_input("its format is not a whole number");
  if (format > baseline_format)
    throw bad_input(fmt::format("its format is {}, this program knows {}: use a newer one", format,
                                baseline_format));
  if (format < format_of_figures)
    throw bad_input(fmt::format("its format is {}, which is not supported", format));
  return format;
}

/// What was lost or changed since it was made, as when two versions are merged line by line.
void require_whole(const baseline& one, const element& content) {
  const auto count = as<double>(part(content, "benchmark_count"), "benchmark_count", "number");
  if (count != static_cast<double>(one.benchmarks.size()))
    throw bad_input(fmt::format("it says that it has {} benchmarks and has {}: pin it anew", count,
                                one.benchmarks.size()));
  const bool is_old = format_of(content) == format_of_figures;
  if (raw_text_in(content, digest_key) != (is_old ? digest_of_figures(one) : digest_of(content)))
    throw bad_input("it is not as it was pinned (digest): pin it anew");
  // The old digest leaves out what decides the verdict.
  const auto& judged_by = one.judged_by;
  if (is_old && judged_by.is_rate_of_bytes() && !judged_by.more_is_better)
    throw bad_input(
        fmt::format("it is judged by {} of which less is better: pin it anew", judged_by.key));
}

baseline baseline_of(const element& content) {
  std::string_view kind;
  if (content["kind"].get(kind) != simdjson::SUCCESS || kind != baseline_kind)
    throw bad_input("it is not a baseline (gate_transfers pin makes one)");
  require_each_key_once(content);
  static_cast<void>(format_of(content));
  baseline one;
  one.judged_by = metric_in(content);
  one.ours = truth_in(content, "ours");
  one.on_host = truth_in(content, "on_host");
  one.device = text_in(content, "device");
  one.machine = machine_in(content, one.ours);
  one.processes = processes_in(list_in(content, "runs"));
  for (const auto& [name, figures] : object_in(content, "benchmarks")) {
    try {
      const auto [place, is_new] = one.benchmarks.emplace(
          common::printable(name), history_in(figures, one.processes.size(), one.judged_by));
      if (!is_new) throw bad_input("a name that is there twice");
    } catch (const bad_input& wrong) {
      throw bad_input(fmt::format("{}: {}", common::printable_in_short(name), wrong.what()));
    }
  }
  if (one.benchmarks.empty()) throw bad_input("it has no benchmarks");
  one.settings_covered = format_of(content) != format_of_figures;
  require_possible(one);
  require_whole(one, content);
  return one;
}

element baseline_parsed(simdjson::dom::parser& parser, std::string text) {
  constexpr std::size_t most_depth = 16;
  if (parser.allocate(text.size(), most_depth) != simdjson::SUCCESS)
    throw bad_input("there is not enough memory to read it");
  try {
    return result_file::parsed(parser, std::move(text));
  } catch (const result_file::bad_entry& why) {
    throw bad_input(why.what());
  }
}

}  // namespace

std::string digest_of(std::string text) {
  simdjson::dom::parser parser;
  return digest_of(baseline_parsed(parser, std::move(text)));
}

baseline baseline_in(std::string text, const std::filesystem::path& file) {
  try {
    simdjson::dom::parser parser;
    return baseline_of(baseline_parsed(parser, std::move(text)));
  } catch (const bad_input& wrong) {
    throw bad_input(
        fmt::format("cannot use {}: {}", common::printable_in_short(file.string()), wrong.what()));
  }
}

baseline read_baseline(const std::filesystem::path& file) {
  std::string text;
  try {
    text = common::read_text(file);
  } catch (const common::read_error& wrong) {
    throw bad_input(
        fmt::format("cannot read {}: {}", common::printable_in_short(file.string()), wrong.what()));
  }
  return baseline_in(std::move(text), file);
}

}  // namespace bench_transfers::gate
