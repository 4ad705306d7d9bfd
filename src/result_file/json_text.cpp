#include "src/result_file/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "src/common/text.hpp"
#include "src/result_file/entries.hpp"

namespace bench_transfers::result_file {
namespace {

bool has_byte_order_mark(std::string_view text) {
  return text.starts_with("\xef\xbb\xbf") || text.starts_with("\xff\xfe") ||
         text.starts_with("\xfe\xff");
}

std::string message_at(std::string_view text, std::size_t position) {
  const auto line_begin = text.substr(0, position).find_last_of('\n') + 1;  // 0 on the first line
  constexpr std::size_t shown_before = 24, shown_after = 8;
  const auto first = std::max(line_begin, position - std::min(position, shown_before));
  const auto line_end = std::min(text.find('\n', position), text.size());
  const auto last = std::min(line_end, position + shown_after);
  return fmt::format("it is not JSON: line {}, column {}, near '{}'",
                     1 + std::ranges::count(text.substr(0, position), '\n'),
                     position - line_begin + 1,
                     common::printable(text.substr(first, last - first)));
}

/// A message that says where a text stops being JSON. simdjson reports only the reason.
std::string syntax_message(const std::string& text, simdjson::error_code code) {
  using parser = nlohmann::json;
  // The document is not needed, only the position of the error.
  const auto discard = [](int, parser::parse_event_t, parser&) { return false; };
  try {
    [[maybe_unused]] const auto nothing = parser::parse(text, discard);
  } catch (const parser::parse_error& error) {
    if (error.byte > text.size()) return "it is cut off: only the beginning of JSON is there";
    return message_at(text, error.byte - std::min<std::size_t>(error.byte, 1));
  } catch (const parser::out_of_range&) {
    code = simdjson::NUMBER_ERROR;
  }
  if (code == simdjson::NUMBER_ERROR) return "it has a number that is too large";
  // nlohmann::json has read the text only up to its first null character.
  return message_at(text, std::min(text.find('\0'), text.size()));
}

/// If a key were there twice, readers could differ in which of its values counts.
class key_checker {
 public:
  void require_each_key_once(const simdjson::dom::element& part) {
    if (part.is_array())
      for (const auto entry : simdjson::dom::array(part)) require_each_key_once(entry);
    if (!part.is_object()) return;
    const simdjson::dom::object object(part);
    for (const auto& [key, value] : object)
      if (value.is_array() || value.is_object()) require_each_key_once(value);
    require_each_once(object);
  }

 private:
  /// Most rows have the keys of the row before, in the same order.
  void require_each_once(const simdjson::dom::object& object) {
    keys_.clear();
    for (const auto& [key, value] : object) keys_.push_back(key);
    if (keys_ == checked_) return;
    sorted_ = keys_;
    std::ranges::sort(sorted_);
    if (const auto key = std::ranges::adjacent_find(sorted_); key != sorted_.end())
      throw bad_entry(fmt::format("it has {} twice", common::printable_in_short(*key)));
    std::swap(checked_, keys_);
  }

  std::vector<std::string_view> keys_, sorted_;
  std::vector<std::string_view> checked_;  ///< of the object before
};

}  // namespace

simdjson::dom::element parsed(simdjson::dom::parser& parser, std::string text) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) throw bad_entry("it is empty");
  if (has_byte_order_mark(text))
    throw bad_entry("it begins with a byte order mark; save it as UTF-8 without one");
  text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  simdjson::dom::element document;
  const auto error = parser.parse(text.data(), text.size(), false).get(document);
  if (error == simdjson::SUCCESS) {
    key_checker().require_each_key_once(document);
    return document;
  }
  if (error == simdjson::MEMALLOC) throw bad_entry("there is not enough memory to read it");
  if (error == simdjson::DEPTH_ERROR) throw bad_entry("it is nested too deeply");
  throw bad_entry(syntax_message(text, error));
}

}  // namespace bench_transfers::result_file
