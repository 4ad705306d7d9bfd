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

const json& member(const json& object, std::initializer_list<const char*> keys) {
  static const json null;
  const json* inner = &object;
  for (const auto* key : keys) {
    if (!inner->is_object()) return null;
    const auto entry = inner->find(key);
    if (entry == inner->end()) return null;
    inner = &*entry;
  }
  return *inner;
}

json or_null(const std::optional<std::chrono::sys_seconds>& time) {
  return time ? json(timestamp_text(*time)) : json(nullptr);
}

std::optional<std::string> in_parts_text(std::size_t parts) {
  if (parts < 2) return std::nullopt;
  return fmt::format("measured in {} parts", parts);
}

}  // namespace bench_transfers::common
