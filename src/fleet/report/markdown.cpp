#include "src/exports/markdown.hpp"

#include <fmt/format.h>

#include "src/fleet/report/reports.hpp"
#include "src/fleet/report/sentences.hpp"
#include "src/fleet/report/words.hpp"

namespace bench_transfers::fleet {
namespace {

using exports::markdown_code;
using exports::markdown_text;

/// Lines, as long as there is room.
class document {
 public:
  void add(const std::string& text) { text_ += text; }

  /// A table or list; what has no room is counted.
  void add(const std::string& head, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    text_ += head;
    std::size_t shown = 0;
    for (; shown < lines.size(); ++shown) {
      if (text_.size() + lines[shown].size() > exports::most_markdown_bytes) break;
      text_ += lines[shown];
    }
    text_ += '\n';
    if (shown < lines.size())
      text_ +=
          fmt::format("… and {} more, for which there is no room here.\n\n", lines.size() - shown);
  }

  std::string text() { return std::move(text_); }

 private:
  std::string text_;
};

std::string advice_cell(const std::vector<advice>& list) {
  std::string text;
  for (const auto advice : list)
    text += (text.empty() ? "" : "; ") + markdown_text(explain(advice));
  return text;
}

std::string row_of(const sweep& sweep, const finding& found) {
  const auto* worst = found.worst();
  return fmt::format("| {} | {} | {} | {} | {} |\n", markdown_text(subject_of(sweep, found)),
                     markdown_code(to_string(found.pattern)),
                     worst ? markdown_text(slower_text(*worst, found)) : "",
                     markdown_text(where_text(sweep, found)), advice_cell(found.what_to_do));
}

std::vector<std::string> list_of(const std::vector<std::string>& sentences) {
  std::vector<std::string> lines;
  for (const auto& sentence : sentences)
    lines.push_back(fmt::format("- {}\n", markdown_text(sentence)));
  return lines;
}

}  // namespace

std::string markdown_of(const sweep& sweep, const judgement& judged) {
  document comment;
  comment.add(fmt::format("## Fleet: {}\n\n{}.\n\n", to_string(judged.verdict),
                          markdown_text(size_text(sweep))));
  std::vector<std::string> rows;
  for (const auto& found : judged.findings) rows.push_back(row_of(sweep, found));
  comment.add("| who | what | slower by | in | what to do |\n| --- | --- | --- | --- | --- |\n",
              rows);
  comment.add("**Missing**\n\n", list_of(absence_sentences(judged)));
  comment.add("**Slow host devices, which are not named**\n\n",
              list_of(not_named_sentences(sweep, judged)));
  comment.add("**Not measured at one time**\n\n", list_of(in_parts_sentences(sweep)));
  comment.add("**Not known**\n\n", list_of(doubt_sentences(sweep, judged)));
  comment.add("**Problems**\n\n", list_of(problem_sentences(sweep)));
  return comment.text();
}

}  // namespace bench_transfers::fleet
