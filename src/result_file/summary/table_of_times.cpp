#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <utility>

#include "src/common/format.hpp"
#include "src/common/wrapped.hpp"
#include "src/result_file/summary/tables.hpp"

namespace bench_transfers::result_file {
namespace {

constexpr std::size_t name_width = 60, cell_width = 20;

/// A line with cells at its end, which go to a line of their own where they do not fit.
std::string with_cells(const std::string& line, const std::vector<std::string>& cells) {
  const auto text = fmt::format("{}", fmt::join(cells, ", "));
  const bool fits = text.size() < common::terminal_columns - name_width - cell_width;
  if (text.empty()) return line + "\n";
  return line + (fits ? fmt::format("{:>{}}\n", text, cell_width) : "\n  " + text + "\n");
}

std::string cell_of(const figure& shown) {
  return fmt::format("{}, {}", shown.size(), common::time_cell(shown.median_ns));
}

}  // namespace

std::string table_of_times(const std::vector<figure>& sized, const figures& measured) {
  std::map<std::string, std::pair<figure, figure>, common::natural_order> ends_by_name;
  for (const auto& figure : sized) {
    auto& [small, large] =
        ends_by_name.try_emplace(front_of(*figure.benchmark), figure, figure).first->second;
    if (figure.bytes < small.bytes) small = figure;
    if (figure.bytes > large.bytes) large = figure;
  }
  if (ends_by_name.empty()) return "";
  std::string text = fmt::format("\n{:<{}}{:>{}}{:>{}}\n", "time of one operation", name_width,
                                 "smallest size", cell_width, "largest size", cell_width);
  for (const auto& [name, ends] : ends_by_name) {
    const auto& [small, large] = ends;
    text += fmt::format("{:<{}}{:>{}}", name, name_width, cell_of(small), cell_width);
    if (small.bytes < large.bytes) text += fmt::format("{:>{}}", cell_of(large), cell_width);
    const auto cells = measured.headlines(*large.benchmark);
    text +=
        cells.empty() ? "\n" : fmt::format("\n  {}: {}\n", large.size(), fmt::join(cells, ", "));
  }
  return text;
}

std::string table_of_unsized(const std::vector<const benchmark*>& unsized,
                             const figures& measured) {
  std::string text;
  for (const auto* described : unsized) {
    const auto time = common::time_cell(measured.median(*described, "median_ns").value());
    text += with_cells(fmt::format("{:<{}}{:>{}}", described->name, name_width, time, cell_width),
                       measured.headlines(*described));
  }
  return text.empty() ? "" : "\n" + text;
}

}  // namespace bench_transfers::result_file
