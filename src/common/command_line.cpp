#include "src/common/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "src/common/nearest.hpp"
#include "src/common/printable.hpp"

namespace bench_transfers::common {
namespace {

usage_error unknown(std::string_view kind, std::string_view name, const std::string& meant,
                    std::string_view help) {
  return usage_error(fmt::format("unknown {} '{}'{} (see {})", kind, printable_in_short(name),
                                 meant.empty() ? "" : fmt::format(": did you mean {}?", meant),
                                 help));
}

}  // namespace

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
  throw unknown("command", first, nearest(first, {commands.begin(), commands.end()}), "--help");
}

usage_error unknown_argument(std::string_view argument, const std::set<std::string>& known,
                             std::string_view help) {
  const auto name = argument.substr(0, argument.find('='));
  auto meant = nearest(name, known);
  // "list" may be meant for "--list".
  if (meant.empty() && !name.starts_with('-')) meant = nearest(fmt::format("--{}", name), known);
  return unknown("argument", argument, meant, help);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace bench_transfers::common
