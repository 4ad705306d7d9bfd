#include "src/common/message.hpp"

#include <fmt/format.h>

namespace bench_transfers::common {

using json = nlohmann::ordered_json;

json to_json(const message& shown) {
  return {{"code", shown.code}, {"data", shown.data}, {"text", shown.text}};
}

json to_json(const std::vector<message>& shown) {
  auto list = json::array();
  for (const auto& entry : shown) list.push_back(to_json(entry));
  return list;
}

std::optional<std::string> in_parts_text(std::size_t parts) {
  if (parts < 2) return std::nullopt;
  return fmt::format("measured in {} parts", parts);
}

}  // namespace bench_transfers::common
