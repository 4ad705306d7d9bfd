#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace bench_transfers::gate {

/// Null for an empty text and for no number.
inline nlohmann::ordered_json or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}
inline nlohmann::ordered_json or_null(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace bench_transfers::gate
