#include "src/exports/markdown.hpp"

#include <fmt/format.h>

#include "src/comparison/reports.hpp"
#include "src/comparison/words.hpp"
#include "src/gate/model/metric.hpp"
#include "src/gate/report/figures.hpp"

namespace bench_transfers::comparison {
namespace {

using exports::markdown_text;

std::string row_of(const std::string& limited_by, const std::string& name,
                   const difference& difference) {
  return fmt::format(
      "| {} | {} | {} | {} | {} |\n", limited_by, name, markdown_text(shift_text(difference.shift)),
      markdown_text(interval_text(difference.interval_95)), words_of(difference.known));
}

std::string rows_of(const compared_group& group) {
  auto text =
      row_of(to_string(group.limited_by), exports::markdown_code(group.key.name), group.difference);
  for (const auto& benchmark : group.benchmarks)
    if (benchmark.departs)
      text +=
          row_of("",
                 markdown_text(fmt::format("{}: {}, {}", size_text(benchmark),
                                           gate::value_text(benchmark.first_ns, gate::metric{}),
                                           gate::value_text(benchmark.second_ns, gate::metric{}))),
                 benchmark.difference);
  return text;
}

std::string paragraph(const std::string& sentence) { return markdown_text(sentence) + "\n\n"; }

}  // namespace

std::string markdown_of(const side& first, const side& second, const comparison_result& result) {
  auto text = paragraph(side_sentence("A", first)) + paragraph(side_sentence("B", second));
  for (const auto& warning : warnings_of(first, second, result)) text += paragraph(warning);
  text += paragraph(count_sentence(result)) + paragraph(basis_sentence(result));
  for (const auto& note : notes_of(result)) text += paragraph(note);
  text += fmt::format(
      "| class | benchmarks | B takes longer by | {} | |\n"
      "| --- | --- | ---: | ---: | --- |\n",
      interval_title(result.basis));
  std::size_t shown = 0;
  for (const auto& group : result.groups) {
    const auto rows = rows_of(group);
    if (text.size() + rows.size() > exports::most_markdown_bytes) break;
    text += rows;
    ++shown;
  }
  if (shown < result.groups.size())
    text += fmt::format("\n{} with smaller differences are not shown.\n",
                        gate::counted(result.groups.size() - shown, "group"));
  return text;
}

}  // namespace bench_transfers::comparison
