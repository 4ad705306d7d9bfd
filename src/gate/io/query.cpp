#include "src/gate/io/query.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <exception>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "src/common/printable.hpp"
#include "src/common/read_text.hpp"
#include "src/gate/io/read_baseline.hpp"
#include "src/gate/model/bad_input.hpp"
#include "src/gate/model/check_format.hpp"
#include "src/result_file/entries.hpp"
#include "src/result_file/json_text.hpp"

namespace bench_transfers::gate {
namespace {

using simdjson::dom::element;

std::string_view kind_of(const element& document) {
  std::string_view kind;
  return document["kind"].get(kind) == simdjson::SUCCESS ? kind : "";
}

void require_answer(const element& document) {
  if (kind_of(document) != check_kind)
    throw bad_input("it is neither an answer of check --json nor a baseline");
  std::int64_t format = 0;
  if (document["format"].get(format) != simdjson::SUCCESS || format < 1)
    throw bad_input("its format is not a whole number from 1");
  if (format > check_format)
    throw bad_input(
        fmt::format("its format is {}, this program reads 1 to {}", format, check_format));
}

/// "" is the whole document; "~" may occur only in "~0" and "~1".
void require_pointer(std::string_view pointer) {
  bool is_pointer = pointer.empty() || pointer.front() == '/';
  for (auto at = pointer.find('~'); at != std::string_view::npos; at = pointer.find('~', at + 1))
    is_pointer =
        is_pointer && at + 1 < pointer.size() && (pointer[at + 1] == '0' || pointer[at + 1] == '1');
  if (!is_pointer)
    throw bad_input(fmt::format("'{}' is not a JSON pointer, such as /counts/slower",
                                common::printable_in_short(pointer)));
}

std::string line_of(const element& value) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return common::printable(text);
  // In ASCII, because texts inside of it could control a terminal as well.
  return nlohmann::ordered_json::parse(simdjson::minify(value)).dump(-1, ' ', true);
}

std::optional<std::string> value_at_pointer(const element& document, const std::string& pointer) {
  // The parser's array index has 64 bits and overflows silently.
  constexpr auto digits = "0123456789";
  constexpr std::size_t most_digits = 18;
  for (auto at = pointer.find_first_of(digits); at != std::string::npos;) {
    const auto end = std::min(pointer.find_first_not_of(digits, at), pointer.size());
    if (end - at > most_digits) return std::nullopt;
    at = pointer.find_first_of(digits, end);
  }
  element value;
  if (document.at_pointer(pointer).get(value) != simdjson::SUCCESS) return std::nullopt;
  return line_of(value);
}

[[noreturn]] void refuse(const std::filesystem::path& file, const std::exception& error) {
  throw bad_input(
      fmt::format("cannot use {}: {}", common::printable_in_short(file.string()), error.what()));
}

}  // namespace

std::optional<std::string> value_in(std::string text, const std::filesystem::path& file,
                                    const std::string& pointer) {
  require_pointer(pointer);
  simdjson::dom::parser parser;
  element document;
  try {
    document = result_file::parsed(parser, text);
    if (kind_of(document) != baseline_kind) require_answer(document);
  } catch (const result_file::bad_entry& error) {
    refuse(file, error);
  } catch (const bad_input& error) {
    refuse(file, error);
  }
  // A damaged baseline is refused.
  if (kind_of(document) == baseline_kind) static_cast<void>(baseline_in(std::move(text), file));
  return value_at_pointer(document, pointer);
}

std::optional<std::string> value_at(const std::filesystem::path& file, const std::string& pointer) {
  require_pointer(pointer);
  std::string text;
  try {
    text = common::read_text(file);
  } catch (const common::read_error& error) {
    refuse(file, error);
  }
  return value_in(std::move(text), file, pointer);
}

}  // namespace bench_transfers::gate
