#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace bench_transfers::common {

/// JSON null for nullopt.
template <class Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

/// JSON null for an empty text.
inline nlohmann::ordered_json or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

}  // namespace bench_transfers::common
