#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "src/common/text.hpp"
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

/// "  1MiB: over_plain 82.0 ns", with a line's end; empty for a benchmark without headlines.
std::string headlines_of(const figure& shown, const figures& measured) {
  const auto cells = measured.headlines(*shown.benchmark);
  return cells.empty() ? "" : fmt::format("  {}: {}\n", shown.size(), fmt::join(cells, ", "));
}

/// The headlines at the largest size. If a difference changes its sign on the way there, those on
/// both sides of the change come first: there a method begins to pay, or ceases to.
std::string headlines_of(const std::vector<figure>& by_size, const figures& measured) {
  std::string text;
  const auto& largest = by_size.back();
  for (auto i = by_size.size() - 1; i > 0; --i) {
    if (!measured.differ_in_sign(*by_size[i - 1].benchmark, *largest.benchmark)) continue;
    text = headlines_of(by_size[i - 1], measured);
    if (i < by_size.size() - 1) text += headlines_of(by_size[i], measured);
    break;
  }
  return text + headlines_of(largest, measured);
}

}  // namespace

std::string table_of_times(const std::vector<figure>& sized, const figures& measured) {
  std::map<std::string, std::vector<figure>, common::natural_order> sizes_by_name;
  for (const auto& figure : sized) sizes_by_name[front_of(*figure.benchmark)].push_back(figure);
  if (sizes_by_name.empty()) return "";
  std::string text = fmt::format("\n{:<{}}{:>{}}{:>{}}\n", "time of one operation", name_width,
                                 "smallest size", cell_width, "largest size", cell_width);
  for (auto& [name, by_size] : sizes_by_name) {
    // Not by the bytes of an operation, which may be the same at every size.
    std::ranges::sort(by_size, {}, [](const figure& shown) { return shown.benchmark->size_bytes; });
    const auto& small = by_size.front();
    const auto& large = by_size.back();
    text += fmt::format("{:<{}}{:>{}}", name, name_width, cell_of(small), cell_width);
    if (small.benchmark->size_bytes < large.benchmark->size_bytes)
      text += fmt::format("{:>{}}", cell_of(large), cell_width);
    text += "\n" + headlines_of(by_size, measured);
  }
  std::vector<const benchmark*> shown;
  for (const auto& figure : sized) shown.push_back(figure.benchmark);
  return text + measured.legend(shown);
}

std::string table_of_unsized(const std::vector<const benchmark*>& unsized,
                             const figures& measured) {
  std::string text;
  for (const auto* described : unsized) {
    const auto time = common::time_cell(measured.median(*described, "median_ns").value());
    text += with_cells(fmt::format("{:<{}}{:>{}}", described->name, name_width, time, cell_width),
                       measured.headlines(*described));
  }
  return text.empty() ? "" : "\n" + text + measured.legend(unsized);
}

}  // namespace bench_transfers::result_file
