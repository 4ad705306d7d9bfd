#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/manual/generate.hpp"

namespace bench_transfers::manual {
namespace {

/// Within single quotes, and with a backslash before these characters.
std::string zsh_escaped(const std::string& text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) result += '\\';
    result += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return result;
}

/// ":FILE:_files", as _arguments takes it.
std::string zsh_value_spec(const option& listed) {
  auto action = std::string(" ");
  if (!listed.choices.empty())
    action = fmt::format("({})", fmt::join(listed.choices, " "));
  else if (listed.takes_folder())
    action = "_files -/";
  else if (listed.takes_file())
    action = "_files";
  const auto label = listed.placeholder.empty() ? "value" : listed.placeholder;
  return fmt::format("{}{}:{}", listed.takes == value::optional ? "::" : ":",
                     zsh_escaped(label, ":\\"), action);
}

std::string zsh_arguments_of(const command& described) {
  std::string text;
  for (const auto& listed : described.options)
    for (const auto& name : listed.names) {
      const bool is_long = name.starts_with("--");
      const auto* sign = listed.takes == value::none       ? ""
                         : listed.takes == value::optional ? "=-"
                         : is_long                         ? "="
                                                           : "+";
      text += fmt::format(" \\\n        '{}{}{}[{}]{}'", listed.repeatable ? "*" : "", name, sign,
                          zsh_escaped(listed.description, "[]:\\"),
                          listed.takes == value::none ? "" : zsh_value_spec(listed));
    }
  if (!described.arguments.empty()) text += " \\\n        '*:file:_files'";
  return text;
}

}  // namespace

std::string zsh_completion(const command& program) {
  std::string commands;
  std::string cases;
  for (const auto& command : program.commands) {
    commands += fmt::format("\n    '{}:{}'", command.name, zsh_escaped(command.description, ":\\"));
    cases +=
        fmt::format("      {})\n      _arguments{} ;;\n", command.name, zsh_arguments_of(command));
  }
  return fmt::format(
      R"(#compdef {0}
# zsh completion for {0}, by {0} --generate=complete-zsh
_{0}() {{
  local -a commands=({1}
  )
  if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then
    _describe command commands
    return
  fi
  local command=''
  if ((CURRENT > 2)) && (($commands[(I)$words[2]:*])); then
    command=$words[2]
    shift words
    ((CURRENT--))
  fi
  case $command in
{2}      *)
      _arguments{3} ;;
  esac
}}
if [[ $funcstack[1] == _{0} ]]; then
  _{0} "$@"
else
  compdef _{0} {0}
fi
)",
      program.name, commands, cases, zsh_arguments_of(program));
}

}  // namespace bench_transfers::manual
