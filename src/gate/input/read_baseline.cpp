#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "gate/baseline.hpp"
#include "gate/input/hash.hpp"
#include "gate/input/timestamp.hpp"
#include "input/printable.hpp"
#include "input/read_text.hpp"

namespace gate {
namespace {

using json = nlohmann::ordered_json;

std::string text_in(const json& of, const char* key) {
  const auto& value = of.at(key);
  return value.is_null() ? std::string() : input::printable(value.get<std::string>());
}

/// The library goes through objects and lists alike.
const json& list_in(const json& of, const char* key) {
  const auto& list = of.at(key);
  if (!list.is_array()) throw bad_input(fmt::format("'{}' that is no list", key));
  return list;
}

const json& object_in(const json& of, const char* key) {
  const auto& object = of.at(key);
  if (!object.is_object()) throw bad_input(fmt::format("'{}' that is no object", key));
  return object;
}

double positive(const json& value) {
  const auto number = value.get<double>();
  if (!std::isfinite(number) || number <= 0) throw bad_input("a figure that is not positive");
  return number;
}

double figure_in(const json& value, const metric& judged_by) {
  const auto number = positive(value);
  if (!judged_by.can_be(number))
    throw bad_input(fmt::format("a figure that nobody can have measured: {}", number));
  return number;
}

std::uint64_t hexadecimal(const std::string& text, const char* key) {
  std::uint64_t value = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{} || stopped != text.data() + text.size())
    throw bad_input(fmt::format("a '{}' that is not a hexadecimal number", key));
  return value;
}

process process_in(const json& of) {
  process one;
  one.file = text_in(of, "file");
  if (const auto started = text_in(of, "started_utc"); !started.empty()) {
    one.started = parse_timestamp(started);
    if (!one.started) throw bad_input(fmt::format("a time that is none: '{}'", started));
  }
  one.boot = text_in(of, "boot");
  one.card = text_in(of, "card");
  one.content = hexadecimal(text_in(of, "content"), "content");
  return one;
}

history history_in(const json& of, std::size_t processes, const metric& judged_by) {
  history one;
  if (!of.at("bytes").is_null()) one.bytes = positive(of.at("bytes"));
  std::size_t measured_by = 0;
  for (const auto& value : list_in(of, "figures")) {
    one.figures.emplace_back();
    if (value.is_null()) continue;
    one.figures.back() = figure_in(value, judged_by);
    ++measured_by;
  }
  if (one.figures.size() != processes) throw bad_input("not one figure for each run");
  if (measured_by < least_processes) throw bad_input("fewer than three figures");
  return one;
}

metric metric_in(const json& content) {
  auto judged_by = metric::named(text_in(content, "judged_by"));
  if (judged_by.key.empty()) throw bad_input("it does not say what it is judged by");
  const auto better = text_in(content, "better");
  if (better != "more" && better != "less")
    throw bad_input("its 'better' is neither more nor less");
  judged_by.more_is_better = better == "more";
  if (judged_by.is_time() && judged_by.more_is_better)
    throw bad_input("it is judged by a time of which more is better");
  const auto repetitions = text_in(content, "of_repetitions");
  if (repetitions != "median" && repetitions != "fastest")
    throw bad_input("its 'of_repetitions' is neither median nor fastest");
  judged_by.fastest_repetition = repetitions == "fastest";
  return judged_by;
}

/// The facts by which a machine is known again. A baseline of ours without any would take runs of
/// every machine.
fingerprint machine_in(const json& content, bool ours) {
  fingerprint machine;
  std::set<std::string> keys;
  for (const auto& [key, value] : content.items()) {
    machine.emplace_back(input::printable(key), input::printable(value.get<std::string>()));
    if (!keys.insert(machine.back().first).second)
      throw bad_input(fmt::format("it has {} twice", machine.back().first));
  }
  if (ours && machine.empty()) throw bad_input("it does not say of which machine it is");
  return machine;
}

std::vector<process> processes_in(const json& content) {
  if (content.size() < least_processes) throw bad_input("it has fewer than three runs");
  if (content.size() > most_processes)
    throw bad_input(fmt::format("it has more than {} runs", most_processes));
  std::vector<process> all;
  std::map<std::uint64_t, std::string> seen;
  for (const auto& entry : content) {
    all.push_back(process_in(entry));
    const auto [other, is_new] = seen.emplace(all.back().content, all.back().file);
    if (!is_new)
      throw bad_input(fmt::format("two of its runs are the same: '{}' and '{}'", other->second,
                                  all.back().file));
  }
  return all;
}

/// What was lost or changed since it was made, as when two versions are merged line by line.
void require_whole(const baseline& one, const json& content) {
  const auto count = content.at("benchmark_count").get<double>();
  if (count != static_cast<double>(one.benchmarks.size()))
    throw bad_input(fmt::format("it says that it has {} benchmarks and has {}: pin it anew", count,
                                one.benchmarks.size()));
  if (hexadecimal(text_in(content, "digest"), "digest") != digest_of(one))
    throw bad_input("its names or figures are not those that were pinned (digest): pin it anew");
}

baseline baseline_of(const json& content) {
  if (!content.is_object() || content.value("kind", "") != baseline_kind)
    throw bad_input("it is not a baseline (gate_transfers pin makes one)");
  // A number that is not whole, or too large for one, has no value as one.
  if (!content.at("format").is_number_integer())
    throw bad_input("its format is not a whole number");
  const auto format = content.at("format").get<std::int64_t>();
  if (format > baseline_format)
    throw bad_input(fmt::format("its format is {}, this program knows {}: use a newer one", format,
                                baseline_format));
  if (format < 1) throw bad_input(fmt::format("its format is {}, which there never was", format));
  baseline one;
  one.judged_by = metric_in(content);
  one.ours = content.at("ours").get<bool>();
  one.on_host = content.at("on_host").get<bool>();
  one.device = text_in(content, "device");
  one.machine = machine_in(object_in(content, "machine"), one.ours);
  one.processes = processes_in(list_in(content, "runs"));
  for (const auto& [name, figures] : object_in(content, "benchmarks").items()) {
    try {
      const auto [place, is_new] = one.benchmarks.emplace(
          input::printable(name), history_in(figures, one.processes.size(), one.judged_by));
      if (!is_new) throw bad_input("a name that is there twice");
    } catch (const bad_input& wrong) {
      throw bad_input(fmt::format("{} has {}", input::printable_in_short(name), wrong.what()));
    }
  }
  if (one.benchmarks.empty()) throw bad_input("it has no benchmarks");
  require_whole(one, content);
  return one;
}

}  // namespace

std::uint64_t digest_of(const baseline& one) {
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
  return all.value();
}

baseline baseline_in(const std::string& text, const std::filesystem::path& file) {
  const auto refused = [&](const std::string& why) {
    return bad_input(
        fmt::format("cannot use {}: {}", input::printable_in_short(file.string()), why));
  };
  constexpr int most_depth = 16;
  // Of a key that is there twice, the parser would keep the last, and nobody would know.
  std::vector<std::set<std::string>> keys;
  const auto look = [&](int depth, json::parse_event_t event, const json& part) {
    using enum json::parse_event_t;
    if (depth > most_depth) throw bad_input("it is nested too deeply");
    if (event == object_start) keys.emplace_back();
    if (event == object_end) keys.pop_back();
    if (event == key && !keys.back().insert(part.get<std::string>()).second)
      throw bad_input(
          fmt::format("it has {} twice", input::printable_in_short(part.get<std::string>())));
    return true;
  };
  try {
    return baseline_of(json::parse(text, look));
  } catch (const bad_input& wrong) {
    throw refused(wrong.what());
  } catch (const json::parse_error& wrong) {
    throw refused(text.empty() ? "it is empty"
                               : fmt::format("it is not JSON (byte {})", wrong.byte));
  } catch (const json::exception&) {
    throw refused("it is a damaged baseline: a part is missing or of another type");
  }
}

baseline read_baseline(const std::filesystem::path& file) {
  std::string text;
  try {
    text = input::read_text(file);
  } catch (const input::read_error& wrong) {
    throw bad_input(
        fmt::format("cannot read {}: {}", input::printable_in_short(file.string()), wrong.what()));
  }
  return baseline_in(text, file);
}

}  // namespace gate
