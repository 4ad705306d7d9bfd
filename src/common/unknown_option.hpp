#pragma once

#include <CLI/App.hpp>
#include <set>
#include <string>

#include "src/common/command_line.hpp"

namespace bench_transfers::common {

/// The long options of a program or command, "--out", and its commands: what an argument that it
/// does not know may have been meant for.
inline std::set<std::string> option_names(const CLI::App& app) {
  std::set<std::string> names;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) names.insert("--" + name);
  for (const auto* command : app.get_subcommands(nullptr)) names.insert(command->get_name());
  return names;
}

/// Throws usage_error if an argument that the given command of a program does not take looks like
/// an option, and names the option that may be meant.
inline void refuse_unknown_option(const CLI::App& app) {
  const auto given = app.get_subcommands();
  for (const auto& argument : app.remaining(true)) {
    if (!argument.starts_with('-')) continue;
    if (given.empty()) throw unknown_argument(argument, option_names(app), "--help");
    const auto& command = *given.front();
    throw unknown_argument_of(command.get_name(), argument, option_names(command));
  }
}

}  // namespace bench_transfers::common
