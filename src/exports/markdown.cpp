#include "src/exports/markdown.hpp"

#include <fmt/format.h>

#include <cctype>
#include <string_view>

#include "src/common/printable.hpp"

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

}  // namespace bench_transfers::exports
