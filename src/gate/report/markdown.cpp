#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "src/common/printable.hpp"
#include "src/gate/report/figures.hpp"
#include "src/gate/report/reports.hpp"
#include "src/gate/report/wording.hpp"

namespace bench_transfers::gate {
namespace {

/// GitHub accepts 65,536 characters; the text after a shortened list needs some of them.
constexpr std::size_t most_bytes = 60'000;
constexpr std::size_t most_notes = 20;

bool is_letter_or_digit(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0;
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
  return std::string_view(" /%+-,;()='").find(character) != std::string_view::npos;
}

/// Replaces punctuation that could have a meaning by numeric character references, which are never
/// markup (CommonMark, "Entity and numeric character references").
std::string plain(const std::string& text) {
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

std::string code(const std::string& text) { return "<code>" + plain(text) + "</code>"; }

std::string title_of(const report& answer) {
  return fmt::format("## Transfers: {}{}\n\n", to_string(answer.code),
                     answer.on_host ? " (host device, no GPU)" : "");
}

std::string changes_text(const report& answer) {
  std::string text;
  if (!answer.changed.empty()) {
    text += "**" + changed_title(answer) + "**\n\n";
    for (const auto& change : answer.changed)
      text += fmt::format("- {}: {}\n", code(change.fact.key), plain(changed_text(change)));
    text += '\n';
  }
  for (const auto& part : answer.classes) {
    const auto* const strong = part.code == exit_code::pass ? "" : "**";
    text += fmt::format("- {0}{1}{0}\n", strong, plain(class_sentence(answer, part)));
  }
  return text + (answer.classes.empty() ? "" : "\n");
}

/// Tables in a row, as long as there is room.
class document {
 public:
  document(std::string head, const report& answer)
      : text_(std::move(head)), answer_(answer), judged_by_(answer.judged_by) {}

  void add(const std::string& text) { text_ += text; }

  void add(verdict result, bool open, std::size_t most = most_bytes) {
    const auto lines = findings_of(answer_, result);
    if (lines.empty()) return;
    const auto title = fmt::format("{} {}", lines.size(), verdict_text(answer_, result));
    const bool has_figures = result != verdict::missing && result != verdict::added;
    text_ += open ? fmt::format("**{}**\n\n", title)
                  : fmt::format("<details><summary>{}</summary>\n\n", title);
    text_ += has_figures ? "| benchmark | before | after | slower by | p | detectable |\n"
                           "| --- | ---: | ---: | ---: | ---: | ---: |\n"
                         : "| benchmark | |\n| --- | --- |\n";
    std::size_t shown = 0;
    for (; shown < lines.size(); ++shown) {
      const auto row = has_figures ? row_of(*lines[shown]) : remark_row_of(*lines[shown]);
      if (text_.size() + row.size() > most) break;
      text_ += row;
    }
    text_ += '\n';
    if (shown < lines.size())
      text_ +=
          fmt::format("… and {} more, for which there is no room here.\n\n", lines.size() - shown);
    if (!open) text_ += "</details>\n\n";
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  [[nodiscard]] std::string row_of(const finding& benchmark) const {
    const auto texts = cells_of(benchmark, judged_by_);
    const auto note = benchmark.note ? "<br>" + plain(sentence_of(*benchmark.note)) : "";
    return fmt::format("| {}{} | {} | {} | {} | {} | {} |\n", code(benchmark.name), note,
                       plain(texts.before), plain(texts.after), plain(texts.slower_by),
                       plain(texts.p), plain(texts.detectable));
  }

  [[nodiscard]] static std::string remark_row_of(const finding& benchmark) {
    return fmt::format("| {} | {}{} |\n", code(benchmark.name),
                       benchmark.note ? plain(sentence_of(*benchmark.note)) : "",
                       benchmark.excused ? (benchmark.note ? ", allowed" : "allowed") : "");
  }

  std::string text_;
  const report& answer_;
  const metric& judged_by_;
};

}  // namespace

std::string markdown_of(const report& answer) {
  document comment(title_of(answer) + plain(origin_sentence(answer)) + ".\n\n", answer);
  // The regressions come first, unless a different machine explains them.
  const bool slower_first = answer.code == exit_code::regression;
  if (slower_first) comment.add(verdict::slower, true, most_bytes / 2);
  auto head = changes_text(answer);
  for (const auto& cause : answer.reasons)
    head += fmt::format("- {}\n", plain(sentence_of(cause, answer.question.limits)));
  if (!answer.reasons.empty()) head += '\n';
  head += plain(counts_sentence(answer)) + ".";
  if (const auto advisory = advisory_sentence(answer); !advisory.empty())
    head += fmt::format(" {}.", plain(advisory));
  head += "\n\n";
  for (std::size_t i = 0; i < answer.notes.size(); ++i) {
    if (i == most_notes) {
      head += fmt::format("… and {} more notes.\n\n", answer.notes.size() - i);
      break;
    }
    head += fmt::format("Note: {}.\n\n", plain(sentence_of(answer.notes[i])));
  }
  comment.add(head);
  const bool too_few = answer.has_too_few_runs();
  for (const auto result : worst_first)
    if (result != verdict::slower || !slower_first)
      comment.add(result, result == verdict::slower || (result == verdict::missing && !too_few));
  return comment.text();
}

}  // namespace bench_transfers::gate
