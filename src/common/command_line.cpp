#include "src/common/command_line.hpp"

#include <fmt/format.h>

#include <string_view>

namespace bench_transfers::common {

void require_values(std::span<const char* const> arguments) {
  for (const std::string_view argument : arguments)
    if (argument.starts_with("--") && argument.ends_with('=') &&
        argument.find('=') + 1 == argument.size())
      throw usage_error(fmt::format("{} needs a value", argument.substr(0, argument.size() - 1)));
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace bench_transfers::common
