#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/common/exit_code.hpp"

namespace bench_transfers::commands {

/// Values that the shell offers for options, by the option's name: not all that are allowed.
using offers = std::map<std::string, std::vector<std::string>>;

/// What a program does by a word of its own, such as `bench_transfers map`. A new one is a new
/// file. Its constructor adds its options to those of the subcommand, which fill it in.
class command {
 public:
  command() = default;
  command(const command&) = delete;
  command& operator=(const command&) = delete;
  virtual ~command() = default;

  /// Throws usage_error if these arguments, which no option takes, are values whose option is
  /// known.
  virtual void explain(const std::vector<std::string>& /*arguments*/) const {}
  /// Throws usage_error for options that do not go together.
  virtual void check(const CLI::App& /*given*/) const {}
  /// Returns the exit code. Throws usage_error for what cannot be used, and common::write_error.
  [[nodiscard]] virtual common::exit_code run() const = 0;
  [[nodiscard]] virtual offers offered() const { return {}; }
};

struct entry {
  std::string_view name, summary;
  std::unique_ptr<command> (*make)(CLI::App& options);
  std::string_view dashes;  ///< the option that `--` stands for; empty: none
};

void add(const entry& added);

/// Makes a command known to the program that it is linked to; a constant of its file.
template <class Command>
struct registration {
  registration(std::string_view name, std::string_view summary, std::string_view dashes = {}) {
    add({name, summary,
         [](CLI::App& options) -> std::unique_ptr<command> {
           return std::make_unique<Command>(options);
         },
         dashes});
  }
};

/// By name.
std::vector<entry> registered();

/// A command with its part of a command line.
struct added_command {
  CLI::App* options;
  std::shared_ptr<const command> does;
};

/// Adds all that are registered. `footer`: of their help, unless they have one of their own.
std::vector<added_command> add_to(CLI::App& app, const std::string& footer = "");

/// Reads the line. Throws as CLI11 and the options do, but first of all usage_error for an option
/// that the program, unless it takes others, or the command does not know.
void parse(CLI::App& app, std::span<const char* const> arguments);

/// The command that the line chooses; null if none. Throws usage_error unless it comes first, knows
/// all arguments, and can be carried out.
std::shared_ptr<const command> chosen(const CLI::App& app,
                                      const std::vector<added_command>& commands,
                                      std::string_view first);

/// By command and option.
offers offered(const std::vector<added_command>& commands);

}  // namespace bench_transfers::commands
