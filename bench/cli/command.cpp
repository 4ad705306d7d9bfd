#include "bench/cli/command.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/common/command_line.hpp"
#include "src/common/unknown_option.hpp"

namespace bench_transfers::bench {
namespace {

std::vector<command_entry>& collected() {
  static std::vector<command_entry> commands;
  return commands;
}

}  // namespace

command_registration::command_registration(const command_entry& added) {
  collected().push_back(added);
}

std::vector<command_entry> registered_commands() {
  auto commands = collected();
  std::ranges::sort(commands, {}, &command_entry::name);
  return commands;
}

std::vector<added_command> add_commands(CLI::App& app) {
  std::vector<added_command> commands;
  for (const auto& entry : registered_commands()) {
    auto* const options = app.add_subcommand(std::string(entry.name), std::string(entry.summary));
    commands.push_back({options, entry.make(*options)});
  }
  return commands;
}

std::shared_ptr<const command> chosen_command(const CLI::App& app,
                                              const std::vector<added_command>& commands,
                                              std::string_view first) {
  const auto given = app.get_subcommands();
  if (given.empty()) return nullptr;
  const auto& name = given.front()->get_name();
  if (first != name)
    throw common::usage_error(
        fmt::format("{0} comes first and takes options of its own (see {0} --help)", name));
  const auto chosen = std::ranges::find(commands, given.front(), &added_command::options);
  auto others = app.remaining(true);
  chosen->does->explain(others);
  for (const auto* const also : given)
    if (also != chosen->options) others.push_back(also->get_name());
  if (!others.empty())
    throw common::unknown_argument_of(name, others.front(), common::option_names(*chosen->options));
  chosen->does->check(*chosen->options);
  return chosen->does;
}

}  // namespace bench_transfers::bench
