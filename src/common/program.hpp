#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
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

/// Options of bench_transfers that choose what is measured and how. A result file and a baseline
/// keep these, and no others: with them another run measures the same.
inline constexpr std::array<std::string_view, 11> measuring_options{
    "--device",
    "--profile",
    "--sizes",
    "--cold-sizes",
    "--cache",
    "--strategies",
    "--concurrent",
    "--benchmark_filter",
    "--benchmark_repetitions",
    "--benchmark_min_time",
    "--benchmark_enable_random_interleaving"};

/// Whether it is one of them with a value, "--profile=quick".
inline bool is_measuring_option(std::string_view option) {
  const auto end = option.find('=');
  return end != std::string_view::npos &&
         std::ranges::find(measuring_options, option.substr(0, end)) != measuring_options.end();
}

/// Writes "PROGRAM: SENTENCE" to standard error, printable and folded if it is long. Never throws
/// because it cannot be written.
void complain(const char* program, const std::string& sentence);

/// Writes to standard output. Throws usage_error if the text could not be written: an answer that
/// is lost must not look like a success.
void print(const std::string& text);

/// How many columns a line may have; `otherwise` if the stream is no terminal or does not tell.
std::size_t columns_of(std::FILE* stream, std::size_t otherwise);

/// How far a program is, in a line that takes the place of the one before; the last one stays.
/// Nothing where no terminal is: a log would get lines without an end.
void show_progress(std::FILE* stream, const std::string& text, bool is_last);

}  // namespace bench_transfers::common
