#pragma once

#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace bench_transfers::common {

/// The command line is wrong; what() is one line. Exit code 2.
class usage_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws usage_error for "--out=": CLI11 would take the next argument as its value.
void require_values(std::span<const char* const> arguments);

/// Throws usage_error unless the first argument is one of these commands or an option: CLI11 would
/// only say that a subcommand is missing.
void require_command(std::span<const char* const> arguments,
                     const std::vector<std::string>& commands);

/// Names the argument, which is not known, and the command or option that may be meant, of the
/// program whose help is called `help`: "--help"; or the program that has such a command.
usage_error unknown_argument(std::string_view argument, const std::set<std::string>& known,
                             std::string_view help);

/// The same for an argument of a command, "doctor", which takes these options: no other command is
/// meant there.
usage_error unknown_argument_of(std::string_view command, std::string_view argument,
                                const std::set<std::string>& known);

/// The first line of a message: CLI11's can have several.
std::string first_line(const std::string& text);

}  // namespace bench_transfers::common
