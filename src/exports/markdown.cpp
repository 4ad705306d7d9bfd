#include "src/exports/markdown.hpp"

#include <fmt/format.h>

#include <cctype>
#include <sstream>
#include <string_view>

#include "src/common/text.hpp"

namespace bench_transfers::exports {
namespace {

bool is_letter_or_digit(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0;
}

/// Whether a bracket is neither a link's (`[a](b)`, `[a][b]`, `[a]: b`) nor, at the beginning of an
/// item, a task's. Most are those of codes and intervals, which shall be readable.
bool is_harmless_bracket(const std::string& text, std::size_t position) {
  const char next = position + 1 < text.size() ? text[position + 1] : ' ';
  if (text[position] == '[') return position > 0 && next != '[';
  return std::string_view("([:]").find(next) == std::string_view::npos;
}

/// Whether the character at `position` has no meaning in Markdown and HTML, and is no part of what
/// GitHub turns into links (addresses) and pictures (`:words:`).
bool is_harmless(const std::string& text, std::size_t position) {
  const char character = text[position];
  const auto is_alnum = [&](std::size_t i) {
    return i < text.size() && is_letter_or_digit(text[i]);
  };
  if (is_alnum(position) || static_cast<unsigned char>(character) >= 0x80) return true;
  if (character == '_') return position > 0 && is_alnum(position - 1) && is_alnum(position + 1);
  if (character == ':') return position + 1 == text.size() || text[position + 1] == ' ';
  if (character == '.') return position < 3 || text.compare(position - 3, 3, "www") != 0;
  if (character == '[' || character == ']') return is_harmless_bracket(text, position);
  return std::string_view(" /%+-,;()='?\"").find(character) != std::string_view::npos;
}

std::string bold(const std::string& title) {
  return title.empty() ? "" : fmt::format("**{}**\n\n", markdown_text(title));
}

/// The lines of a cell, one after another, without the blanks that align a text.
std::string cell_of(const std::string& text) {
  std::istringstream lines(text);
  std::string cell;
  for (std::string line; std::getline(lines, line);)
    cell += (cell.empty() ? "" : "; ") + markdown_text(line);
  cell.erase(cell.find_last_not_of(' ') + 1);
  return cell;
}

std::string line_of(const row& row, const std::vector<column>& columns) {
  std::string line = "|";
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool is_code = columns[i].cells == cells::codes && !row.is_part;
    line += " " + (is_code ? markdown_code(row.cells[i]) : cell_of(row.cells[i]));
    if (is_code && !row.note.empty()) line += "<br>" + markdown_text(row.note);
    line += " |";
  }
  return line + "\n";
}

}  // namespace

// Replaces punctuation that could have a meaning by numeric character references, which are never
// markup (CommonMark, "Entity and numeric character references").
std::string markdown_text(const std::string& text) {
  const auto shown = common::printable_in_short(text);
  std::string escaped;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const char character = shown[i];
    escaped += is_harmless(shown, i) ? std::string(1, character)
                                     : fmt::format("&#{};", static_cast<int>(character));
    // The comment prevents mentions of users and links to issues.
    if (character == '@' || character == '#') escaped += "<!-- -->";
  }
  return escaped;
}

std::string markdown_code(const std::string& text) {
  return "<code>" + markdown_text(text) + "</code>";
}

void comment::add(const section& shown) {
  std::vector<std::string> lines;
  for (const auto& sentence : shown.sentences)
    lines.push_back("- " + markdown_text(sentence) + "\n");
  add_lines(bold(shown.title), lines, most_bytes);
}

void comment::add(const table& shown, std::size_t most) {
  if (shown.rows.empty()) return;
  std::string titles = "|", rule = "|";
  for (const auto& column : shown.columns) {
    titles += column.title.empty() ? " |" : fmt::format(" {} |", column.title);
    rule += column.cells == cells::numbers ? " ---: |" : " --- |";
  }
  std::vector<std::string> lines;
  for (const auto& row : shown.rows) lines.push_back(line_of(row, shown.columns));
  const auto title = shown.is_folded
                         ? fmt::format("<details><summary>{}</summary>\n\n", shown.title)
                         : bold(shown.title);
  add_lines(fmt::format("{}{}\n{}\n", title, titles, rule), lines, most);
  if (shown.is_folded) text_ += "</details>\n\n";
}

void comment::add_lines(const std::string& head, const std::vector<std::string>& lines,
                        std::size_t most) {
  if (lines.empty()) return;
  text_ += head;
  std::size_t shown = 0;
  for (; shown < lines.size() && text_.size() + lines[shown].size() <= most; ++shown)
    text_ += lines[shown];
  text_ += '\n';
  if (shown < lines.size())
    text_ +=
        fmt::format("… and {} more, for which there is no room here.\n\n", lines.size() - shown);
}

}  // namespace bench_transfers::exports
