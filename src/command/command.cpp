#include "src/command/command.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/command/options.hpp"
#include "src/common/program.hpp"

namespace bench_transfers::commands {
namespace {

std::vector<entry>& collected() {
  static std::vector<entry> commands;
  return commands;
}

}  // namespace

void add(const entry& added) { collected().push_back(added); }

std::vector<entry> registered() {
  auto commands = collected();
  std::ranges::sort(commands, {}, &entry::name);
  return commands;
}

std::vector<added_command> add_to(CLI::App& app, const std::string& footer) {
  std::vector<added_command> commands;
  for (const auto& added : registered()) {
    auto* const options = app.add_subcommand(std::string(added.name), std::string(added.summary));
    options->footer(footer);
    commands.push_back({options, added.make(*options)});
  }
  return commands;
}

void parse(CLI::App& app, std::span<const char* const> arguments) {
  try {
    app.parse(static_cast<int>(arguments.size()), arguments.data());
  } catch (const CLI::Success&) {
    throw;
  } catch (const std::exception&) {
    const auto given = app.get_subcommands();
    if (given.empty() && app.get_allow_extras()) throw;
    for (const auto& argument : app.remaining(true))
      if (argument.starts_with('-') && argument != "--")
        throw given.empty() ? common::unknown_argument(argument, option_names(app), "--help")
                            : common::unknown_argument_of(given.front()->get_name(), argument,
                                                          option_names(*given.front()));
    throw;
  }
}

std::shared_ptr<const command> chosen(const CLI::App& app,
                                      const std::vector<added_command>& commands,
                                      std::string_view first) {
  const auto given = app.get_subcommands();
  if (given.empty()) return nullptr;
  const auto& name = given.front()->get_name();
  if (first != name)
    throw common::usage_error(
        fmt::format("{0} comes first and takes options of its own (see {0} --help)", name));
  const auto& [options, does] =
      *std::ranges::find(commands, given.front(), &added_command::options);
  auto others = app.remaining(true);
  does->explain(others);
  for (const auto* const also : given)
    if (also != options) others.push_back(also->get_name());
  if (!others.empty())
    throw common::unknown_argument_of(name, others.front(), option_names(*options));
  does->check(*options);
  return does;
}

offers offered(const std::vector<added_command>& commands) {
  offers values;
  for (const auto& [options, does] : commands)
    for (const auto& [option, choices] : does->offered())
      values.emplace(options->get_name() + " " + option, choices);
  return values;
}

}  // namespace bench_transfers::commands
