#include "src/exports/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "src/common/text.hpp"
#include "src/fleet/report/reports.hpp"
#include "src/fleet/report/sections.hpp"
#include "src/fleet/report/sentences.hpp"
#include "src/fleet/report/words.hpp"

namespace bench_transfers::fleet {
namespace {

/// What to do first, in this order.
std::string advice_text(const std::vector<advice>& list) {
  constexpr std::size_t most = 3;
  std::vector<std::string> clauses;
  for (const auto advice : list)
    if (clauses.size() < most) clauses.push_back(explain(advice));
  auto text = fmt::format("{}", fmt::join(clauses, "; "));
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(text.front()));
  return text.empty() ? text
                      : "    " + common::wrapped(text + ".", common::terminal_columns - 4, 4);
}

/// What would have been found, by peers or by the baseline; for each scope of a class the largest
/// of its aspects.
std::string tested_text(const judgement& judged) {
  std::map<std::tuple<std::string, aspect, scope>, double> of_aspects;
  for (const auto& tested : judged.tested) {
    const auto [least, is_first] = of_aspects.try_emplace(
        {tested.model, tested.aspect, tested.parts.scope}, tested.detectable);
    least->second = std::min(least->second, tested.detectable);
  }
  std::map<std::pair<benchmark_class, scope>, double> detectable;
  for (const auto& [of, least] : of_aspects) {
    auto& most = detectable[{std::get<aspect>(of).kind, std::get<scope>(of)}];
    most = std::max(most, least);
  }
  std::string text;
  for (const auto kind : result_file::all_classes) {
    std::vector<std::string> parts;
    for (const auto scope : every_scope)
      if (const auto found = detectable.find({kind, scope}); found != detectable.end())
        parts.push_back(
            fmt::format("a {} slower by {}", noun_of(scope), common::slower_text(found->second)));
    if (!parts.empty()) text += fmt::format("  {}: {}\n", to_string(kind), fmt::join(parts, ", "));
  }
  return text.empty() ? text : "A part slower by this is found four times out of five:\n" + text;
}

}  // namespace

std::string text_of(const sweep& sweep, const judgement& judged) {
  auto text = fmt::format("{}: {}\n", to_string(judged.verdict), size_text(sweep));
  for (const auto& found : judged.findings)
    text += fmt::format("  {}\n{}", sentence_of(sweep, found), advice_text(found.what_to_do));
  for (const auto& sentence : absence_sentences(judged)) text += fmt::format("  {}\n", sentence);
  for (const auto& section : sections_of(sweep, judged)) text += exports::text_of(section);
  return text + tested_text(judged);
}

}  // namespace bench_transfers::fleet
