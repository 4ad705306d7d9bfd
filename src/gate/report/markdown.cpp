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

constexpr std::size_t most_notes = 20;

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

/// Benchmarks without figures.
exports::table list_of(const std::vector<const finding*>& findings) {
  exports::table table{"", {{"benchmark", exports::cells::codes}, {""}}};
  for (const auto* const benchmark : findings)
    table.rows.push_back({{benchmark->name, why_text(*benchmark)}});
  return table;
}

/// `open`: unless they are folded.
void add(exports::comment& comment, const report& answer, verdict result, bool open,
         std::size_t most = exports::comment::most_bytes) {
  const auto findings = findings_of(answer, result);
  if (findings.empty()) return;
  auto table = result == verdict::missing || result == verdict::added ? list_of(findings)
                                                                      : table_of(answer, findings);
  table.title = fmt::format("{} {}", findings.size(), verdict_text(answer, result));
  table.is_folded = !open;
  comment.add(table, most);
}

}  // namespace

std::string markdown_of(const report& answer) {
  exports::comment comment;
  comment.add(fmt::format("## Transfers: {}{}\n\n", to_string(answer.code),
                          answer.on_host ? " (host device, no GPU)" : ""));
  comment.say(origin_sentence(answer) + ".");
  // The regressions come first, unless a different machine explains them.
  const bool slower_first = answer.code == exit_code::regression;
  if (slower_first) add(comment, answer, verdict::slower, true, exports::comment::most_bytes / 2);
  comment.add(changes_text(answer));
  exports::section reasons;
  for (const auto& cause : answer.reasons)
    reasons.sentences.push_back(sentence_of(cause, answer.question.limits));
  comment.add(reasons);
  auto counts = markdown_text(counts_sentence(answer)) + ".";
  if (const auto advisory = advisory_sentence(answer); !advisory.empty())
    counts += fmt::format(" {}.", markdown_text(advisory));
  comment.add(counts + "\n\n");
  for (std::size_t i = 0; i < std::min(answer.notes.size(), most_notes); ++i)
    comment.say(fmt::format("Note: {}.", sentence_of(answer.notes[i])));
  if (answer.notes.size() > most_notes)
    comment.say(fmt::format("… and {} more notes.", answer.notes.size() - most_notes));
  for (const auto result : worst_first)
    if (result != verdict::slower || !slower_first)
      add(comment, answer, result,
          result == verdict::slower || (result == verdict::missing && !answer.has_too_few_runs()));
  return comment.text();
}

}  // namespace bench_transfers::gate
