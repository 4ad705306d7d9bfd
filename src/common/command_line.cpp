#include "src/common/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "src/common/nearest.hpp"

namespace bench_transfers::common {

void require_values(std::span<const char* const> arguments) {
  for (const std::string_view argument : arguments)
    if (argument.starts_with("--") && argument.ends_with('=') &&
        argument.find('=') + 1 == argument.size())
      throw usage_error(fmt::format("{} needs a value", argument.substr(0, argument.size() - 1)));
}

void require_command(std::span<const char* const> arguments,
                     const std::vector<std::string>& commands) {
  if (arguments.size() < 2)
    throw usage_error(fmt::format("missing command: expected {} or {} (see --help)",
                                  fmt::join(commands.begin(), std::prev(commands.end()), ", "),
                                  commands.back()));
  const std::string first = arguments[1];
  if (first.starts_with('-') || std::ranges::find(commands, first) != commands.end()) return;
  const auto meant = nearest(first, {commands.begin(), commands.end()});
  throw usage_error(fmt::format("unknown command '{}'{} (see --help)", first,
                                meant.empty() ? "" : fmt::format(", did you mean {}?", meant)));
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace bench_transfers::common
