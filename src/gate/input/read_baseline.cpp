#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "gate/baseline.hpp"
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

double positive(const json& value) {
  const auto number = value.get<double>();
  if (!std::isfinite(number) || number <= 0) throw bad_input("a figure that is not positive");
  return number;
}

std::uint64_t hexadecimal(const std::string& text) {
  std::uint64_t value = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{} || stopped != text.data() + text.size())
    throw bad_input("a 'content' that is not a hexadecimal number");
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
  one.content = hexadecimal(text_in(of, "content"));
  return one;
}

history history_in(const json& of, std::size_t processes) {
  history one;
  if (!of.at("bytes").is_null()) one.bytes = positive(of.at("bytes"));
  std::size_t measured_by = 0;
  for (const auto& value : of.at("medians")) {
    one.medians.emplace_back();
    if (value.is_null()) continue;
    one.medians.back() = positive(value);
    ++measured_by;
  }
  if (one.medians.size() != processes) throw bad_input("not one median for each run");
  if (measured_by < least_processes) throw bad_input("fewer than three medians");
  return one;
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
  baseline one;
  one.judged_by = metric::named(text_in(content, "judged_by"));
  one.ours = content.at("ours").get<bool>();
  one.on_host = content.at("on_host").get<bool>();
  one.device = text_in(content, "device");
  for (const auto& [key, value] : content.at("machine").items())
    one.machine.emplace_back(input::printable(key), input::printable(value.get<std::string>()));
  for (const auto& entry : content.at("runs")) one.processes.push_back(process_in(entry));
  if (one.processes.size() < least_processes) throw bad_input("it has fewer than three runs");
  for (const auto& [name, figures] : content.at("benchmarks").items()) {
    try {
      one.benchmarks.emplace(input::printable(name), history_in(figures, one.processes.size()));
    } catch (const bad_input& wrong) {
      throw bad_input(fmt::format("{} has {}", input::printable_in_short(name), wrong.what()));
    }
  }
  if (one.benchmarks.empty()) throw bad_input("it has no benchmarks");
  return one;
}

}  // namespace

baseline baseline_in(const std::string& text, const std::filesystem::path& file) {
  const auto refused = [&](const std::string& why) {
    return bad_input(
        fmt::format("cannot use {}: {}", input::printable_in_short(file.string()), why));
  };
  constexpr int most_depth = 16;
  const auto no_deeper = [](int depth, json::parse_event_t, json&) {
    if (depth > most_depth) throw bad_input("it is nested too deeply");
    return true;
  };
  try {
    return baseline_of(json::parse(text, no_deeper));
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
