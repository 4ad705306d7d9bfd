#include "src/exports/markdown.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/fleet/report/reports.hpp"
#include "src/fleet/report/sections.hpp"
#include "src/fleet/report/sentences.hpp"
#include "src/fleet/report/words.hpp"

namespace bench_transfers::fleet {
namespace {

exports::row row_of(const sweep& sweep, const finding& found) {
  std::vector<std::string> what_to_do;
  for (const auto advice : found.what_to_do) what_to_do.push_back(explain(advice));
  const auto* worst = found.worst();
  return {{subject_of(sweep, found), to_string(found.pattern),
           worst ? slower_text(*worst, found) : "", where_text(sweep, found),
           fmt::format("{}", fmt::join(what_to_do, "\n"))}};
}

}  // namespace

std::string markdown_of(const sweep& sweep, const judgement& judged) {
  exports::comment comment;
  comment.add(fmt::format("## Fleet: {}\n\n", to_string(judged.verdict)));
  comment.say(size_text(sweep) + ".");
  exports::table table{
      "", {{"who"}, {"what", exports::cells::codes}, {"slower by"}, {"in"}, {"what to do"}}};
  for (const auto& found : judged.findings) table.rows.push_back(row_of(sweep, found));
  comment.add(table);
  comment.add({"Missing", absence_sentences(judged)});
  for (const auto& section : sections_of(sweep, judged)) comment.add(section);
  return comment.text();
}

}  // namespace bench_transfers::fleet
