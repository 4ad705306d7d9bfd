#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/cli/fleet_options.hpp"
#include "bench/cli/modes.hpp"
#include "bench/harness/settings.hpp"
#include "src/command/command.hpp"

namespace bench_transfers::bench {

/// What holds of an option besides its name, its help and where its value goes.
struct option_facts {
  std::string variable = {};  ///< that sets it, too
  std::vector<mode> without_effect = {};
  /// A site file may set it: it means the same for each run. What a run is for, and where its file
  /// goes, is its own.
  bool of_sites = false;
  bool of_resumed_runs = false;  ///< it goes with --resume
  /// Takes the value that is given, when all of the command line is known. Throws usage_error.
  std::function<void()> take = {};
};

/// The options of bench_transfers, each described in one place, and what a command line gives them:
/// as text where a closer look follows. CLI11 keeps pointers to all of it.
class option_table {
 public:
  struct kind {
    /// The options of `bench_transfers fleet`, which are those of a run and more. It has no
    /// commands.
    bool of_fleet = false;
    bool reads_environment = true;  ///< also variables set options
  };
  explicit option_table(const kind& which);
  option_table(const option_table&) = delete;
  option_table& operator=(const option_table&) = delete;
  ~option_table() = default;

  /// Adds an option, a list of all values that are given, or a flag. `type`: of a value, in --help.
  template <class Value>
  CLI::Option& add(const char* name, Value& value, const char* help, const char* type,
                   option_facts facts = {}) {
    if constexpr (std::is_same_v<Value, bool>)
      return describe(*app.add_flag(name, value, help), std::move(facts));
    auto& option = describe(*app.add_option(name, value, help), std::move(facts));
    if (type) option.type_name(type);
    if constexpr (std::is_same_v<Value, std::vector<std::string>>)
      option.multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    return option;
  }
  /// Takes what is not in --help out of it. Not before: their names would be lacking in errors.
  void hide();

  /// Throws usage_error for the first option that is given without an effect in the mode. What
  /// variables set does not count.
  void refuse_without_effect(const mode_of_run& chosen) const;
  /// Throws usage_error for the first option that does not go with --resume.
  void require_only_options_of_resumed_runs() const;
  /// The names of those that a site file may set, without dashes.
  [[nodiscard]] std::vector<std::string> names_of_sites() const;
  /// Throws usage_error for a value that an option cannot have.
  void take_values() const;

  const bool is_fleet;
  CLI::App app;

  bench::settings settings;
  std::string sizes;
  std::string cold_sizes;
  std::string cache = "all";
  std::string min_time;
  int repetitions = 0;
  int processes = 0;  ///< 0: as many as usual
  std::string process;

  fleet_request fleet;
  std::vector<commands::added_command> commands;  ///< none for `fleet`

 private:
  struct described {
    CLI::Option* option;
    option_facts facts;
  };
  CLI::Option& describe(CLI::Option& option, option_facts facts);
  void add_what_is_measured();
  void add_how_it_is_measured();
  void add_outputs();
  void add_hidden_options();
  template <class Value>
  void add_hidden(const char* name, Value& value, option_facts facts = {}) {
    add(name, value, "", nullptr, std::move(facts)).group(hidden);
  }
  static constexpr const char* hidden = "Not in --help";

  std::string max_time_, seed_, listed_;
  int verbosity_ = 0;
  double warmup_time_ = 0;
  std::vector<std::string> faults_;
  std::vector<described> described_;
};

/// Adds the option that writes the shell's completion, which knows all options and commands.
void add_completion(CLI::App& app);

}  // namespace bench_transfers::bench
