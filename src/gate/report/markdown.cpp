#include "src/exports/markdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "src/gate/report/figures.hpp"
#include "src/gate/report/reports.hpp"
#include "src/gate/report/wording.hpp"

namespace bench_transfers::gate {
namespace {

using exports::markdown_code;
using exports::markdown_text;
using exports::most_markdown_bytes;

constexpr std::size_t most_notes = 20;

std::string title_of(const report& answer) {
  return fmt::format("## Transfers: {}{}\n\n", to_string(answer.code),
                     answer.on_host ? " (host device, no GPU)" : "");
}

std::string changes_text(const report& answer) {
  std::string text;
  if (!answer.changed.empty()) {
    text += "**" + changed_title(answer) + "**\n\n";
    for (const auto& change : answer.changed)
      text += fmt::format("- {}: {}\n", markdown_code(change.fact.key),
                          markdown_text(changed_text(change)));
    text += '\n';
  }
  for (const auto& part : answer.classes) {
    const auto* const strong = part.code == exit_code::pass ? "" : "**";
    text += fmt::format("- {0}{1}{0}\n", strong, markdown_text(class_sentence(answer, part)));
  }
  return text + (answer.classes.empty() ? "" : "\n");
}

/// Tables in a row, as long as there is room.
class document {
 public:
  document(std::string head, const report& answer)
      : text_(std::move(head)), answer_(answer), judged_by_(answer.judged_by) {}

  void add(const std::string& text) { text_ += text; }

  void add(verdict result, bool open, std::size_t most = most_markdown_bytes) {
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
    const auto note = benchmark.note ? "<br>" + markdown_text(sentence_of(*benchmark.note)) : "";
    return fmt::format("| {}{} | {} | {} | {} | {} | {} |\n", markdown_code(benchmark.name), note,
                       markdown_text(texts.before), markdown_text(texts.after),
                       markdown_text(texts.slower_by), markdown_text(texts.p),
                       markdown_text(texts.detectable));
  }

  [[nodiscard]] static std::string remark_row_of(const finding& benchmark) {
    return fmt::format("| {} | {}{} |\n", markdown_code(benchmark.name),
                       benchmark.note ? markdown_text(sentence_of(*benchmark.note)) : "",
                       benchmark.excused ? (benchmark.note ? ", allowed" : "allowed") : "");
  }

  std::string text_;
  const report& answer_;
  const metric& judged_by_;
};

}  // namespace

std::string markdown_of(const report& answer) {
  document comment(title_of(answer) + markdown_text(origin_sentence(answer)) + ".\n\n", answer);
  // The regressions come first, unless a different machine explains them.
  const bool slower_first = answer.code == exit_code::regression;
  if (slower_first) comment.add(verdict::slower, true, most_markdown_bytes / 2);
  auto head = changes_text(answer);
  for (const auto& cause : answer.reasons)
    head += fmt::format("- {}\n", markdown_text(sentence_of(cause, answer.question.limits)));
  if (!answer.reasons.empty()) head += '\n';
  head += markdown_text(counts_sentence(answer)) + ".";
  if (const auto advisory = advisory_sentence(answer); !advisory.empty())
    head += fmt::format(" {}.", markdown_text(advisory));
  head += "\n\n";
  for (std::size_t i = 0; i < answer.notes.size(); ++i) {
    if (i == most_notes) {
      head += fmt::format("… and {} more notes.\n\n", answer.notes.size() - i);
      break;
    }
    head += fmt::format("Note: {}.\n\n", markdown_text(sentence_of(answer.notes[i])));
  }
  comment.add(head);
  const bool too_few = answer.has_too_few_runs();
  for (const auto result : worst_first)
    if (result != verdict::slower || !slower_first)
      comment.add(result, result == verdict::slower || (result == verdict::missing && !too_few));
  return comment.text();
}

}  // namespace bench_transfers::gate
