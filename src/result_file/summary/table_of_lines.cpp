#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <utility>

#include "src/common/quantities.hpp"
#include "src/result_file/summary/tables.hpp"

namespace bench_transfers::result_file {
namespace {

/// The states in the order of the columns: who has touched the host's lines last.
const std::vector<std::pair<cache_state, exports::column>>& columns_by_state() {
  static const std::vector<std::pair<cache_state, exports::column>> columns{
      {cache_state::warm, {"copy", cells::numbers, 6, "earlier"}},
      {cache_state::cold, {"flushed", cells::numbers, 7}},
      {cache_state::streamed, {"stores", cells::numbers, 6, "streaming"}},
      {cache_state::written_here, {"thread", cells::numbers, 6, "copying"}},
      {cache_state::written_by_one_awake, {"awake", cells::numbers, 6, "one other"}},
      {cache_state::written_by_one, {"asleep", cells::numbers, 6, "one other"}},
      {cache_state::written_by_all_awake, {"awake", cells::numbers, 6, "all threads"}},
      {cache_state::written_by_all, {"asleep", cells::numbers, 6, "all threads"}}};
  return columns;
}

using rates_by_state = std::map<cache_state, double>;
using rows_of_size = std::map<std::string, rates_by_state, common::natural_order>;

bool has_written(const rates_by_state& rates) {
  return std::ranges::any_of(rates, [](const auto& rate) { return is_written(rate.first); });
}

/// The copies that were measured in more states than warm and cold, by size.
std::map<std::size_t, rows_of_size> rows_of(const figures& measured,
                                            const std::function<bool(const benchmark&)>& belongs) {
  std::map<std::size_t, rows_of_size> by_size;
  for (const auto& [state, column] : columns_by_state())
    for (const auto& figure : measured.sized(state))
      if (belongs(*figure.benchmark))
        by_size[size_of(figure)][front_of(*figure.benchmark)][state] = figure.gb_per_s;
  for (auto& [size, rows] : by_size)
    std::erase_if(rows, [](const auto& row) { return !has_written(row.second); });
  std::erase_if(by_size, [](const auto& rows) { return rows.second.empty(); });
  return by_size;
}

}  // namespace

exports::table table_of_lines(const figures& measured,
                              const std::function<bool(const benchmark&)>& belongs) {
  const auto by_size = rows_of(measured, belongs);
  if (by_size.empty()) return {};
  const auto& [size, rows] = *by_size.rbegin();
  exports::table table{
      .columns = {{"", cells::codes, 26,
                   fmt::format("GB/s, {}, by who wrote last", common::format_size(size))}},
      .between = 1};
  std::vector<cache_state> shown;
  for (const auto& [state, column] : columns_by_state())
    if (std::ranges::any_of(rows, [&](const auto& row) { return row.second.contains(state); })) {
      shown.push_back(state);
      table.columns.push_back(column);
    }
  for (const auto& [name, rates] : rows) {
    auto& line = table.rows.emplace_back(exports::row{{name}}).cells;
    for (const auto state : shown) {
      const auto rate = rates.find(state);
      line.push_back(
          number_or_dash(rate == rates.end() ? std::nullopt : std::optional(rate->second), 1));
    }
  }
  return table;
}

}  // namespace bench_transfers::result_file
