#pragma once

#include <functional>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace bench_transfers::bench {

/// What the program does besides a run, such as `advise`.
struct command {
  CLI::App* options;
  /// Throws usage_error for a command line of `app`, whose first word is given, that cannot be
  /// carried out.
  std::function<void(const CLI::App& app, std::string_view first)> check;
  std::function<int()> run;  ///< returns the exit code
};

/// Adds the commands to the options of a run. The program that has only what the profile `quick`
/// measures has none (quick.cpp).
std::vector<command> add_commands(CLI::App& app);

/// Adds the option that writes the shell's completion, which knows all options and commands.
void add_completion(CLI::App& app);

}  // namespace bench_transfers::bench
