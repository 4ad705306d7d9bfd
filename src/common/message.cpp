#include "src/common/message.hpp"

#include <fmt/format.h>

#include "src/common/quantities.hpp"

namespace bench_transfers::common {

using json = nlohmann::ordered_json;

json to_json(const message& shown) {
  return {{"code", shown.code}, {"data", shown.data}, {"text", shown.text}};
}

json to_json(const std::vector<message>& shown) {
  return list_of(shown, [](const message& entry) { return to_json(entry); });
}

std::string text_of(const json& document) {
  return document.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

json or_null(const std::optional<std::chrono::sys_seconds>& time) {
  return time ? json(timestamp_text(*time)) : json(nullptr);
}

std::optional<std::string> in_parts_text(std::size_t parts) {
  if (parts < 2) return std::nullopt;
  return fmt::format("measured in {} parts", parts);
}

}  // namespace bench_transfers::common
