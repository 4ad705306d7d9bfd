#include <algorithm>

#include "bench/cli/command.hpp"
#include "bench/cli/options.hpp"
#include "bench/cli/profile.hpp"
#include "src/completion/generate.hpp"

namespace bench_transfers::bench {
namespace {

/// Values to offer, not all that are allowed.
completion::choices offered(const std::vector<added_command>& commands) {
  completion::choices values{{"--device", {"auto", "all", "host", "cuda:"}},
                             {"--profile", profile_names()},
                             {"--cache", {"warm", "cold", "both"}},
                             {"--list", {"families", "all", "json"}}};
  for (const auto& [options, does] : commands)
    for (const auto& [option, choices] : does->offered())
      values.emplace(options->get_name() + " " + option, choices);
  return values;
}

completion::choices offered_in_fleet() {
  return {{"--device", {"host", "cuda:"}},
          {"--profile", profile_names()},
          {"--cache", {"warm", "cold", "both"}},
          {"--list", {"families", "all", "json"}},
          {"--mpi", {"auto", "none"}}};
}

/// All options and commands, for the shell.
completion::command describe_program() {
  const option_table run(false);
  auto program = completion::describe(run.app, offered(run.commands));
  const option_table fleet(true);
  auto of_fleet = completion::describe(fleet.app, offered_in_fleet());
  of_fleet.name = "fleet";
  std::erase_if(of_fleet.options, [](const completion::option& option) {
    const auto& name = option.names.back();
    return name == "--version" || name == "--generate";
  });
  for (auto& command : program.commands)
    if (command.name == of_fleet.name) command = of_fleet;
  return program;
}

}  // namespace

void add_completion(CLI::App& app) { completion::add_generate(app, describe_program); }

}  // namespace bench_transfers::bench
