#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "src/manual/generate.hpp"

namespace bench_transfers::manual {
namespace {

/// Text as roff shows it: dashes that can be copied, and no line that is a request.
std::string man_escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else
      result += c;
  }
  if (result.starts_with('.') || result.starts_with('\'')) result.insert(0, "\\&");
  return result;
}

std::string man_title(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
  return name;
}

/// For the line that indexes of man pages show: "measures ...", without the full stop.
std::string man_summary(std::string sentence) {
  if (sentence.ends_with('.')) sentence.pop_back();
  if (!sentence.empty())
    sentence.front() =
        static_cast<char>(std::tolower(static_cast<unsigned char>(sentence.front())));
  return sentence;
}

/// Lines belong to one paragraph until one of them ends a sentence.
std::string man_paragraphs(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);)
    result += man_escaped(line) + (line.ends_with('.') && !lines.eof() ? "\n.PP\n" : "\n");
  return result;
}

std::string man_tagged(const option& listed) {
  std::string names;
  for (const auto& name : listed.names) {
    if (!names.empty()) names += ", ";
    names += "\\fB" + man_escaped(name) + "\\fR";
  }
  if (listed.takes != value::none && !listed.placeholder.empty())
    names += " \\fI" + man_escaped(listed.placeholder) + "\\fR";
  if (listed.repeatable) names += " ...";
  auto text = man_escaped(listed.description);
  if (!listed.choices.empty() && !text.empty() && text.find(listed.choices.front()) == text.npos)
    text += man_escaped(fmt::format(" ({})", fmt::join(listed.choices, ", ")));
  return fmt::format(".TP\n{}\n{}\n", names, text);
}

std::string man_options_of(const command& described) {
  std::string text;
  for (const auto& argument : described.arguments) text += man_tagged(argument);
  for (const auto& listed : described.options) text += man_tagged(listed);
  return text;
}

std::string man_synopsis(const std::string& program, const command& described) {
  auto text = "\\fB" + man_escaped(program) + "\\fR [\\fIOPTIONS\\fR]";
  for (const auto& argument : described.arguments)
    text += " \\fI" + man_escaped(argument.names.front()) + "\\fR" +
            (argument.repeatable ? " ..." : "");
  return text;
}

}  // namespace

std::string man_page(const command& program, const std::string& version) {
  // Without a date: a version has one page, whenever it is built.
  auto text = fmt::format(".TH {} 1 \"\" \"{} {}\" \"User Commands\"\n", man_title(program.name),
                          program.name, version);
  text += fmt::format(".SH NAME\n{} \\- {}\n", man_escaped(program.name),
                      man_escaped(man_summary(program.description)));
  text += ".SH SYNOPSIS\n" + man_synopsis(program.name, program) + "\n";
  for (const auto& command : program.commands)
    text += ".br\n" + man_synopsis(program.name + " " + command.name, command) + "\n";
  text += ".SH OPTIONS\n" + man_options_of(program);
  text += ".SH NOTES\n" + man_paragraphs(program.notes);
  if (!program.commands.empty()) text += ".SH COMMANDS\n";
  for (const auto& command : program.commands) {
    text +=
        fmt::format(".SS {}\n{}\n", man_escaped(command.name), man_escaped(command.description));
    text += man_options_of(command) + ".PP\n" + man_paragraphs(command.notes);
  }
  return text;
}

}  // namespace bench_transfers::manual
