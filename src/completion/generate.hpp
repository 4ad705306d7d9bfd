#pragma once

#include <functional>
#include <string>

#include "src/completion/command.hpp"

namespace bench_transfers::completion {

/// What makes bash complete the program's command lines; it reads this as a script.
std::string bash_completion(const command& program);

/// The text that --generate asks for; thrown while CLI11 parses, which ends with it, as with
/// --help.
struct generated {
  std::string text;
};

/// Adds the option --generate. Parsing throws `generated`, or usage_error for a kind that is not
/// known. `describe` is called then.
void add_generate(CLI::App& app, std::function<command()> describe);

}  // namespace bench_transfers::completion
