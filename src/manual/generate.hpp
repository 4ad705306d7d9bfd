#pragma once

#include <functional>
#include <string>

#include "src/manual/command.hpp"

namespace bench_transfers::manual {

/// A man page in roff, with the program's version: "0.1.0".
std::string man_page(const command& program, const std::string& version);

/// What makes a shell complete the program's command lines; the shell reads it as a script.
std::string bash_completion(const command& program);
std::string zsh_completion(const command& program);
std::string fish_completion(const command& program);

/// The text that --generate asks for; thrown while CLI11 parses, which ends with it, as with
/// --help.
struct generated {
  std::string text;
};

/// Adds the option --generate. Parsing throws `generated`, or usage_error for a kind that is not
/// known. `describe` is called then.
void add_generate(CLI::App& app, const std::string& version, std::function<command()> describe);

}  // namespace bench_transfers::manual
