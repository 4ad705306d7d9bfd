#include "src/common/program.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <iterator>
#include <map>
#include <string_view>

#include "src/common/text.hpp"
#include "src/common/writing.hpp"

namespace bench_transfers::common {

namespace {

constexpr std::string_view a_run = "bench_transfers without a command";

/// What a word means that is no command of the program that was given it: a command of another
/// one, or none.
const std::map<std::string_view, std::string_view> commands_elsewhere{
    {"advise", "bench_transfers advise"},
    {"bench", a_run},
    {"benchmark", a_run},
    {"check", "gate_transfers check"},
    {"collect", "fleet_transfers collect"},
    {"compare", "bench_transfers compare"},
    {"doctor", "bench_transfers doctor"},
    {"execute", a_run},
    {"export", "bench_transfers export"},
    {"import", "bench_transfers import"},
    {"fleet", "bench_transfers fleet"},
    {"gate", "gate_transfers check"},
    {"history", "fleet_transfers history"},
    {"judge", "fleet_transfers judge"},
    {"map", "bench_transfers map"},
    {"measure", a_run},
    {"pin", "gate_transfers pin"},
    {"power", "gate_transfers power"},
    {"run", a_run},
    {"show", "gate_transfers show"},
    {"start", a_run}};

std::string meant_elsewhere(std::string_view word) {
  const auto command = commands_elsewhere.find(word);
  return command == commands_elsewhere.end() ? std::string() : std::string(command->second);
}

std::string_view name_in(std::string_view argument) {
  return argument.substr(0, argument.find('='));
}

std::string nearest_argument(std::string_view argument, const std::set<std::string>& known) {
  const auto name = name_in(argument);
  auto meant = nearest(name, known);
  // "list" may be meant for "--list".
  if (meant.empty() && !name.starts_with('-')) meant = nearest(fmt::format("--{}", name), known);
  return meant;
}

usage_error unknown(std::string_view kind, std::string_view name, const std::string& meant,
                    std::string_view help) {
  return usage_error(fmt::format("unknown {} '{}'{} (see {})", kind, printable_in_short(name),
                                 meant.empty() ? "" : fmt::format(": did you mean {}?", meant),
                                 help));
}

}  // namespace

void require_values(std::span<const char* const> arguments) {
  for (const std::string_view argument : arguments)
    if (argument.starts_with("--") && argument.find('=') + 1 == argument.size())
      throw usage_error(fmt::format("{} needs a value", argument.substr(0, argument.size() - 1)));
}

void require_command(std::span<const char* const> arguments,
                     const std::vector<std::string>& commands) {
  if (arguments.size() < 2)
    throw usage_error(fmt::format("missing command: expected {} or {} (see --help)",
                                  fmt::join(commands.begin(), std::prev(commands.end()), ", "),
                                  commands.back()));
  const std::string first = arguments[1];
  if (first.starts_with('-') || std::ranges::find(commands, first) != commands.end()) return;
  auto meant = meant_elsewhere(first);
  if (meant.empty()) meant = nearest(first, {commands.begin(), commands.end()});
  throw unknown("command", first, meant, "--help");
}

usage_error unknown_argument(std::string_view argument, const std::set<std::string>& known,
                             std::string_view help) {
  auto meant = meant_elsewhere(name_in(argument));
  if (meant.empty()) meant = nearest_argument(argument, known);
  return unknown("argument", argument, meant, help);
}

usage_error unknown_argument_of(std::string_view command, std::string_view argument,
                                const std::set<std::string>& known) {
  return unknown("argument", argument, nearest_argument(argument, known),
                 fmt::format("{} --help", command));
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

void complain(const char* program, const std::string& sentence) {
  const auto line = fmt::format("{}: {}", program, printable(sentence));
  // A log is searched line by line.
  const auto text = isatty(STDERR_FILENO) != 0 ? wrapped_if_long(line) : line + "\n";
  std::fputs(text.c_str(), stderr);  // fmt::print would throw when it fails
}

void print(const std::string& text) {
  std::cout << text << std::flush;
  if (!std::cout) throw write_error("cannot write to standard output");
}

std::size_t columns_of(std::FILE* stream, std::size_t otherwise) {
  constexpr unsigned short too_narrow = 20;
  winsize size{};
  const bool is_told = ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > too_narrow;
  return is_told ? size.ws_col : otherwise;
}

void show_progress(std::FILE* stream, const std::string& text, bool is_last) {
  if (isatty(fileno(stream)) == 0) return;
  const auto line = "\r" + text + (is_last ? "\n" : "");
  std::fputs(line.c_str(), stream);
}

}  // namespace bench_transfers::common
