#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "src/common/text.hpp"
#include "src/result_file/summary/tables.hpp"

namespace bench_transfers::result_file {
namespace {

std::string cell_of(const figure& shown) {
  return fmt::format("{}, {}", shown.size(), common::time_cell(shown.median_ns));
}

/// "1MiB: over_plain 82.0 ns"; empty for a benchmark without headlines.
std::string headlines_of(const figure& shown, const figures& measured) {
  const auto cells = measured.headlines(*shown.benchmark);
  return cells.empty() ? "" : fmt::format("{}: {}\n", shown.size(), fmt::join(cells, ", "));
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

void add_times(exports::answer& out, const std::vector<figure>& sized, const figures& measured) {
  std::map<std::string, std::vector<figure>, common::natural_order> sizes_by_name;
  for (const auto& figure : sized) sizes_by_name[front_of(*figure.benchmark)].push_back(figure);
  exports::table table{"",
                       {{"time of one operation", cells::codes, 60},
                        {"smallest size", cells::numbers, 18},
                        {"largest size", cells::numbers, 18}}};
  for (auto& [name, by_size] : sizes_by_name) {
    // Not by the bytes of an operation, which may be the same at every size.
    std::ranges::sort(by_size, {}, size_of);
    const auto &small = by_size.front(), &large = by_size.back();
    table.rows.push_back(
        {{name, cell_of(small), size_of(small) < size_of(large) ? cell_of(large) : ""},
         headlines_of(by_size, measured)});
  }
  out.add(std::move(table));
  std::vector<const benchmark*> shown;
  for (const auto& figure : sized) shown.push_back(figure.benchmark);
  measured.add_legend(out, shown);
}

void add_unsized(exports::answer& out, const std::vector<const benchmark*>& unsized,
                 const figures& measured) {
  constexpr std::size_t most_beside = 18;
  exports::table table{"",
                       {{"", cells::codes, 60},
                        {"", cells::numbers, most_beside},
                        {"", cells::numbers, most_beside}}};
  for (const auto* described : unsized) {
    const auto time = common::time_cell(measured.median(*described, "median_ns").value());
    const auto headlines = fmt::format("{}", fmt::join(measured.headlines(*described), ", "));
    const bool fits = common::letters_in(headlines) <= most_beside;
    table.rows.push_back({{described->name, time, fits ? headlines : ""}, fits ? "" : headlines});
  }
  out.add(std::move(table));
  measured.add_legend(out, unsized);
}

}  // namespace bench_transfers::result_file
