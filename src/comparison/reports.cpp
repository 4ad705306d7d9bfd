#include "src/comparison/reports.hpp"

#include <fmt/format.h>

#include "src/common/text.hpp"
#include "src/comparison/words.hpp"
#include "src/exports/markdown.hpp"
#include "src/exports/text.hpp"
#include "src/gate/model/metric.hpp"
#include "src/gate/report/figures.hpp"

namespace bench_transfers::comparison {
namespace {

std::string value_of(double ns) { return gate::value_text(ns, gate::metric{}); }

exports::row row_of(const std::string& limited_by, const std::string& name,
                    const difference& difference) {
  return {{limited_by, name, shift_text(difference.shift), interval_text(difference.interval_95),
           words_of(difference.known)}};
}

exports::table table_of(const comparison_result& result) {
  using exports::cells;
  exports::table table{"How much longer B takes than A",
                       {{"class", cells::words, 7},
                        {"benchmarks", cells::codes, 21},
                        {"median", cells::numbers, 8},
                        {interval_title(result.basis), cells::numbers, 22},
                        {""}}};
  for (const auto& group : result.groups) {
    table.rows.push_back(row_of(to_string(group.limited_by), group.key.name, group.difference));
    for (const auto& benchmark : group.benchmarks) {
      if (!benchmark.is_unlike(group.difference)) continue;
      table.rows.push_back(
          row_of("",
                 fmt::format("{}: {}, {}", size_text(benchmark), value_of(benchmark.first_ns),
                             value_of(benchmark.second_ns)),
                 benchmark.difference));
      table.rows.back().is_part = true;
    }
  }
  return table;
}

std::vector<std::string> conclusions_of(const comparison_result& result) {
  std::vector sentences{count_sentence(result), basis_sentence(result)};
  for (auto& note : notes_of(result)) sentences.push_back(std::move(note));
  return sentences;
}

}  // namespace

std::string text_of(const side& first, const side& second, const comparison_result& result) {
  auto text = common::wrapped_if_long(side_sentence("A", first)) +
              common::wrapped_if_long(side_sentence("B", second));
  for (const auto& warning : warnings_of(first, second, result)) text += common::wrapped(warning);
  text += "\n" + exports::text_of(table_of(result)) + "\n";
  for (const auto& sentence : conclusions_of(result)) text += common::wrapped(sentence);
  return text;
}

std::string markdown_of(const side& first, const side& second, const comparison_result& result) {
  exports::comment comment;
  comment.say(side_sentence("A", first));
  comment.say(side_sentence("B", second));
  for (const auto& warning : warnings_of(first, second, result)) comment.say(warning);
  for (const auto& sentence : conclusions_of(result)) comment.say(sentence);
  comment.add(table_of(result));
  return comment.text();
}

}  // namespace bench_transfers::comparison
