#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/manual/generate.hpp"

namespace bench_transfers::manual {
namespace {

std::string fish_quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

std::string fish_values_of(const option& listed) {
  if (listed.takes == value::none) return "";
  if (!listed.choices.empty())
    return fmt::format(" {}-a {}", listed.takes == value::required ? "-x " : "",
                       fish_quoted(fmt::format("{}", fmt::join(listed.choices, " "))));
  if (listed.takes_folder()) return " -x -a '(__fish_complete_directories)'";
  if (listed.takes_file()) return " -r -F";
  return listed.takes == value::required ? " -x" : "";
}

std::string fish_lines_of(const std::string& program, const std::string& condition,
                          const command& described) {
  std::string text;
  for (const auto& listed : described.options) {
    std::string names;
    for (const auto& name : listed.names)
      names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    text += fmt::format("complete -c {} -n {}{}{} -d {}\n", program, fish_quoted(condition), names,
                        fish_values_of(listed), fish_quoted(listed.description));
  }
  if (!described.arguments.empty())
    text += fmt::format("complete -c {} -n {} -F\n", program, fish_quoted(condition));
  return text;
}

}  // namespace

std::string fish_completion(const command& program) {
  std::vector<std::string> names;
  for (const auto& command : program.commands) names.push_back(command.name);
  const auto none_yet = fmt::format("not __fish_seen_subcommand_from {}", fmt::join(names, " "));
  auto text = fmt::format(
      "# fish completion for {0}, by {0} --generate=complete-fish\ncomplete -c {0} -f\n",
      program.name);
  for (const auto& command : program.commands)
    text += fmt::format("complete -c {} -n '__fish_is_first_token' -a {} -d {}\n", program.name,
                        command.name, fish_quoted(command.description));
  text += fish_lines_of(program.name, none_yet, program);
  for (const auto& command : program.commands)
    text += fish_lines_of(program.name, "__fish_seen_subcommand_from " + command.name, command);
  return text;
}

}  // namespace bench_transfers::manual
