#include "bench/cli/options.hpp"
#include "bench/cli/profile.hpp"
#include "src/command/command.hpp"
#include "src/completion/generate.hpp"

namespace bench_transfers::bench {
namespace {

/// Values to offer, not all that are allowed.
completion::choices all_offered(const std::vector<commands::added_command>& added) {
  completion::choices values{{"--device", {"auto", "all", "host", "cuda:"}},
                             {"--profile", profile_names()},
                             {"--cache", {"warm", "cold", "both", "written", "all"}},
                             {"--list", {"families", "all", "json"}}};
  values.merge(commands::offered(added));
  return values;
}

completion::choices offered_in_fleet() {
  return {{"--device", {"host", "cuda:"}},
          {"--profile", profile_names()},
          {"--cache", {"warm", "cold", "both", "written", "all"}},
          {"--list", {"families", "all", "json"}},
          {"--mpi", {"auto", "none"}}};
}

/// All options and commands, for the shell.
completion::command describe_program() {
  const option_table run({});
  auto program = completion::describe(run.app, all_offered(run.commands));
  const option_table fleet({.of_fleet = true});
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
