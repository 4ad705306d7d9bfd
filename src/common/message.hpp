#pragma once

#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace bench_transfers::common {

/// A warning, a reason or a note. Code decides by `code` and `data`; `text` is for people and may
/// be reworded at any time.
struct message {
  std::string code;  ///< a stable word, "link_below_maximum"
  nlohmann::ordered_json data =
      nlohmann::ordered_json::object();  ///< what the text says, as values
  std::string text;                      ///< one line

  bool operator==(const message&) const = default;
};

/// {"code": …, "data": {…}, "text": …}
nlohmann::ordered_json to_json(const message& shown);

/// What `convert` makes of each.
template <class Values, class Convert>
nlohmann::ordered_json list_of(const Values& values, Convert&& convert) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& value : values) list.push_back(convert(value));
  return list;
}

/// A list of them.
nlohmann::ordered_json to_json(const std::vector<message>& shown);

/// The text of a file for programs. Names come from elsewhere and need not be UTF-8; JSON must be.
std::string text_of(const nlohmann::ordered_json& document);

/// A member of nested objects; null if there is none.
const nlohmann::ordered_json& member(const nlohmann::ordered_json& object,
                                     std::initializer_list<const char*> keys);

/// The text of an object's member; empty if it is none, or not there.
template <class Json>
std::string text_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->template get<std::string>() : "";
}

/// Its number, likewise: whole and not negative.
template <class Json>
std::optional<std::size_t> number_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_unsigned()
             ? std::optional(found->template get<std::size_t>())
             : std::nullopt;
}

/// JSON null for nullopt.
template <class Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

/// The text of a time.
nlohmann::ordered_json or_null(const std::optional<std::chrono::sys_seconds>& time);

/// JSON null for an empty text.
inline nlohmann::ordered_json or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

/// "measured in 2 parts": how all readers say that a run was resumed. None: it was not.
std::optional<std::string> in_parts_text(std::size_t parts);

}  // namespace bench_transfers::common
