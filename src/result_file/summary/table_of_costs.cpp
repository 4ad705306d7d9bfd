#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "src/result_file/summary/tables.hpp"

namespace bench_transfers::result_file {
namespace {

struct shown_counter {
  const char* name;
  const char* title;
  int decimals;
  std::size_t column_width;
};

constexpr std::array<shown_counter, 3> counters{{{"cpu_s_per_gb", "CPU s per GB", 4, 8},
                                                 {"cores", "cores busy", 2, 7},
                                                 {"multiprocessors", "multiprocessors", 0, 7}}};

}  // namespace

exports::table table_of_costs(const std::vector<figure>& sized, const figures& measured) {
  if (sized.empty() || !measured.has(counters[0].name)) return {};  // not in older versions' files
  const auto& largest = largest_of(sized);
  exports::table table{.columns = {{fmt::format("cost, {}", largest.size()), cells::codes, 34}},
                       .between = 1};
  for (const auto& counter : counters)
    for (const auto* direction : {"h2d", "d2h"})
      table.columns.push_back({direction, cells::numbers, counter.column_width, counter.title});
  for (const auto& figure : sized) {
    if (figure.bytes != largest.bytes) continue;
    auto row = std::ranges::find(table.rows, figure.label,
                                 [](const auto& shown) { return shown.cells.front(); });
    if (row == table.rows.end()) {
      row = table.rows.insert(row, {{figure.label}});
      row->cells.resize(table.columns.size(), "-");
    }
    for (std::size_t i = 0; i < counters.size(); ++i)
      row->cells[2 * i + (figure.is_to_device() ? 1 : 2)] = number_or_dash(
          measured.median(*figure.benchmark, counters[i].name), counters[i].decimals);
  }
  return table;
}

}  // namespace bench_transfers::result_file
