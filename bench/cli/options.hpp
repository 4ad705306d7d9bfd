#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "bench/cli/fleet_options.hpp"
#include "bench/harness/settings.hpp"
#include "src/command/command.hpp"

namespace bench_transfers::bench {

/// The options of bench_transfers, and what a command line gives them: as text where a closer look
/// follows. CLI11 keeps pointers to all of it.
class option_table {
 public:
  /// `is_fleet`: the options of `bench_transfers fleet`, which are those of a run and more. It has
  /// no commands.
  /// `reads_environment`: also variables set options.
  explicit option_table(bool is_fleet, bool reads_environment = true);
  option_table(const option_table&) = delete;
  option_table& operator=(const option_table&) = delete;
  ~option_table() = default;

  /// Takes what is not in --help out of it. Not before: their names would be lacking in errors.
  void hide();

  CLI::App app;

  bench::settings settings;
  std::string sizes;
  std::string cold_sizes;
  std::string cache = "both";
  std::string min_time;
  std::string max_time;
  int repetitions = 0;
  int processes = 0;  ///< 0: as many as usual
  std::string process;
  std::string seed;
  int verbosity = 0;
  double warmup_time = 0;
  std::string listed;
  std::vector<std::string> faults;

  fleet_request fleet;
  std::vector<commands::added_command> commands;  ///< none for `fleet`

 private:
  void add_run_options(bool is_fleet);
  void add_hidden();
};

/// Adds the option that writes the shell's completion, which knows all options and commands.
void add_completion(CLI::App& app);

}  // namespace bench_transfers::bench
