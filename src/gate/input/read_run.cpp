#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "gate/input/facts.hpp"
#include "gate/input/rows.hpp"
#include "gate/run.hpp"
#include "input/printable.hpp"
#include "input/read_text.hpp"

namespace gate {
namespace {

bool is_rate(std::string_view key) {
  return key.ends_with("_per_s") || key.ends_with("_per_second") || key.ends_with("_percent");
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

bool has_byte_order_mark(std::string_view text) {
  return text.starts_with("\xef\xbb\xbf") || text.starts_with("\xff\xfe") ||
         text.starts_with("\xfe\xff");
}

std::string place_in(std::string_view text, std::size_t at) {
  const auto line_begin = text.substr(0, at).find_last_of('\n') + 1;  // 0 on the first line
  constexpr std::size_t shown_before = 24, shown_after = 8;
  const auto from = std::max(line_begin, at - std::min(at, shown_before));
  const auto line_end = std::min(text.find('\n', at), text.size());
  const auto to = std::min(line_end, at + shown_after);
  return fmt::format("it is not JSON: line {}, column {}, near '{}'",
                     1 + std::ranges::count(text.substr(0, at), '\n'), at - line_begin + 1,
                     input::printable(text.substr(from, to - from)));
}

/// Where a text stops being JSON, in words: simdjson only says why.
std::string why_not_json(const std::string& text, simdjson::error_code error) {
  using json = nlohmann::json;
  // Nothing is kept: the text is only looked through.
  const auto forget = [](int, json::parse_event_t, json&) { return false; };
  try {
    [[maybe_unused]] const auto nothing = json::parse(text, forget);
  } catch (const json::parse_error& wrong) {
    if (wrong.byte > text.size()) return "it is cut off: only the beginning of JSON is there";
    return place_in(text, wrong.byte - std::min<std::size_t>(wrong.byte, 1));
  } catch (const json::out_of_range&) {
    error = simdjson::NUMBER_ERROR;
  }
  if (error == simdjson::NUMBER_ERROR) return "it has a number that is too large";
  // To that parser a text ends at its first null character.
  return place_in(text, std::min(text.find('\0'), text.size()));
}

simdjson::dom::element parse(simdjson::dom::parser& parser, std::string& text) {
  if (is_blank(text)) throw bad_input("it is empty");
  if (has_byte_order_mark(text))
    throw bad_input("it begins with a byte order mark; save it as UTF-8 without one");
  text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  simdjson::dom::element document;
  const auto error = parser.parse(text.data(), text.size(), false).get(document);
  if (error == simdjson::SUCCESS) return document;
  if (error == simdjson::MEMALLOC) throw bad_input("there is not enough memory to read it");
  if (error == simdjson::DEPTH_ERROR) throw bad_input("it is nested too deep");
  throw bad_input(why_not_json(text, error));
}

run run_of(std::string text, const metric& judged_by) {
  simdjson::dom::parser parser;
  const auto document = parse(parser, text);
  text = {};  // the parser has its own copy of what is needed
  run read;
  read_context(document, read);
  read_rows(document, judged_by, read);
  return read;
}

[[noreturn]] void refuse(const std::filesystem::path& file, const std::exception& why) {
  throw bad_input(fmt::format("cannot use {}: {}", input::printable(file.string()), why.what()));
}

}  // namespace

metric metric::named(std::string key) {
  const bool rate = is_rate(key);
  return {std::move(key), rate};
}

bool metric::is_time() const {
  return key == "real_time" || key == "cpu_time" || key.ends_with("_ns");
}

bool metric::tells_direction() const { return is_time() || is_rate(key); }

bool metric::can_be(double value) const {
  constexpr double least_ns = 1e-3;
  constexpr double most_ns = 1e15;  // eleven days
  if (is_time()) return value >= least_ns && value <= most_ns;
  return value > 0 && std::isfinite(value);
}

run run_in(std::string text, const std::filesystem::path& file, const metric& judged_by) {
  try {
    auto read = run_of(std::move(text), judged_by);
    read.file = file;
    return read;
  } catch (const bad_input& why) {
    refuse(file, why);
  }
}

run read_run(const std::filesystem::path& file, const metric& judged_by) {
  std::string text;
  try {
    text = input::read_text(file);
  } catch (const input::read_error& why) {
    refuse(file, why);
  }
  return run_in(std::move(text), file, judged_by);
}

}  // namespace gate
