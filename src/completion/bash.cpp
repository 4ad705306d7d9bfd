#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/completion/generate.hpp"

namespace bench_transfers::completion {
namespace {

/// For `case`: " --cache" of the program itself, "advise --json" of a command.
std::string bash_patterns(const std::string& command, const option& listed) {
  std::vector<std::string> quoted;
  for (const auto& name : listed.names) quoted.push_back(fmt::format("'{} {}'", command, name));
  return fmt::format("{}", fmt::join(quoted, " | "));
}

std::string bash_completed_by(const std::string& program, const option& listed) {
  if (!listed.choices.empty())
    return fmt::format("_{}_offer '{}'", program, fmt::join(listed.choices, " "));
  if (listed.takes_folder()) return fmt::format("_{}_files -d", program);
  return listed.takes_file() ? fmt::format("_{}_files -f", program) : ":";
}

std::string bash_values_of(const std::string& program, const std::string& name,
                           const command& described) {
  std::string cases;
  for (const auto& listed : described.options)
    if (listed.takes != value::none)
      cases += fmt::format("    {}) {}; return ;;\n", bash_patterns(name, listed),
                           bash_completed_by(program, listed));
  return cases;
}

/// The names of options, those with a value up to the "=".
std::string bash_words_of(const command& described) {
  std::vector<std::string> words;
  for (const auto& listed : described.options)
    for (const auto& name : listed.names)
      words.push_back(name + (listed.takes == value::required ? "=" : ""));
  return fmt::format("{}", fmt::join(words, " "));
}

std::string bash_names_of(const std::vector<command>& commands) {
  std::vector<std::string> names;
  for (const auto& command : commands) names.push_back(command.name);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string bash_choice_of_words(const command& described) {
  auto text = fmt::format("    '') _{}_offer '{}' ;;\n", described.name, bash_words_of(described));
  for (const auto& command : described.commands)
    text += fmt::format("    '{}') _{}_offer '{}' ;;\n", command.name, described.name,
                        bash_words_of(command));
  return text;
}

std::string bash_commands_with_files(const command& program) {
  std::vector<std::string> names;
  for (const auto& command : program.commands)
    if (command.takes_files) names.push_back(command.name);
  return names.empty() ? "-" : fmt::format("{}", fmt::join(names, " | "));
}

}  // namespace

std::string bash_completion(const command& program) {
  std::string values = bash_values_of(program.name, "", program);
  for (const auto& command : program.commands)
    values += bash_values_of(program.name, command.name, command);
  return fmt::format(
      R"(# bash completion for {0}, by {0} --generate=complete-bash
_{0}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
  local command='' commands='{1}'
  COMPREPLY=()
  # bash makes three words of --option=value.
  if [[ $current == = ]]; then
    current=''
  elif [[ $previous == = ]]; then
    previous=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  if ((COMP_CWORD > 1)) && [[ " $commands " == *" ${{COMP_WORDS[1]}} "* ]]; then
    command=${{COMP_WORDS[1]}}
  fi
  _{0}_offer() {{
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
    if [[ ${{#COMPREPLY[@]}} == 1 && ${{COMPREPLY[0]}} == *= ]]; then compopt -o nospace 2>/dev/null; fi
  }}
  _{0}_files() {{
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "$1" -- "$current")
  }}
  case "$command $previous" in
{2}  esac
  if [[ $current != -* ]]; then
    if ((COMP_CWORD == 1)); then _{0}_offer "$commands"; fi
    case $command in
      {4}) _{0}_files -f ;;
    esac
    return
  fi
  case $command in
{3}  esac
}}
complete -F _{0} {0}
)",
      program.name, bash_names_of(program.commands), values, bash_choice_of_words(program),
      bash_commands_with_files(program));
}

}  // namespace bench_transfers::completion
