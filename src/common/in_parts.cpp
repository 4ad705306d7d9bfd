#include "src/common/in_parts.hpp"

#include <fmt/format.h>

namespace bench_transfers::common {

std::optional<std::string> in_parts_text(std::size_t parts) {
  if (parts < 2) return std::nullopt;
  return fmt::format("measured in {} parts", parts);
}

}  // namespace bench_transfers::common
