#include <fmt/format.h>

#include <algorithm>

#include "src/common/wrapped.hpp"
#include "src/comparison/reports.hpp"
#include "src/comparison/words.hpp"
#include "src/gate/model/metric.hpp"
#include "src/gate/report/figures.hpp"

namespace bench_transfers::comparison {
namespace {

constexpr std::size_t least_name_width = 30;
constexpr std::size_t most_name_width = 46;

/// A name that is too long has a line of its own.
std::string line_of(const std::string& name, std::size_t width, const difference& difference) {
  const auto columns = gate::columns_of(name);
  auto line =
      name + (columns > width ? "\n" + std::string(width, ' ') : std::string(width - columns, ' '));
  return line + fmt::format(" {:>9}  {:>22}  {}\n", shift_text(difference.shift),
                            interval_text(difference.interval_95), words_of(difference.known));
}

std::string value_of(double ns) { return gate::value_text(ns, gate::metric{}); }

std::string lines_of(const compared_group& group, std::size_t width) {
  auto text = line_of(fmt::format("{:<8} {}", to_string(group.limited_by), group.key.name), width,
                      group.difference);
  for (const auto& benchmark : group.benchmarks)
    if (benchmark.departs)
      text += line_of(fmt::format("  {}: {}, {}", size_text(benchmark),
                                  value_of(benchmark.first_ns), value_of(benchmark.second_ns)),
                      width, benchmark.difference);
  return text;
}

std::size_t width_of(const comparison_result& result) {
  constexpr std::size_t class_columns = 9;
  std::size_t width = least_name_width;
  for (const auto& group : result.groups)
    if (const auto columns = class_columns + gate::columns_of(group.key.name);
        columns <= most_name_width)
      width = std::max(width, columns);
  return width;
}

}  // namespace

std::string text_of(const side& first, const side& second, const comparison_result& result) {
  std::string text;
  text += common::wrapped_if_long(side_sentence("A", first));
  text += common::wrapped_if_long(side_sentence("B", second));
  for (const auto& warning : warnings_of(first, second, result)) text += common::wrapped(warning);
  const auto width = width_of(result);
  text += fmt::format("\n{:<{}} {:>9}  {:>22}\n", "How much longer B takes than A", width, "median",
                      interval_title(result.basis));
  for (const auto& group : result.groups) text += lines_of(group, width);
  text += "\n" + common::wrapped(count_sentence(result)) + common::wrapped(basis_sentence(result));
  for (const auto& note : notes_of(result)) text += common::wrapped(note);
  return text;
}

}  // namespace bench_transfers::comparison
