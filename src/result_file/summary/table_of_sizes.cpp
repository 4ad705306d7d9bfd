#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/common/text.hpp"
#include "src/result_file/summary/tables.hpp"

namespace bench_transfers::result_file {
namespace {

/// Below it, what counts is the time of an operation.
constexpr double least_for_rates = 64 << 10;

/// Figures by label and size, with the sizes that any of them has.
struct sizes_of_direction {
  std::map<std::string, std::map<double, const figure*>, common::natural_order> by_label;
  std::map<double, std::string> sizes;
};

sizes_of_direction in_direction(const std::vector<figure>& sized, direction towards) {
  sizes_of_direction found;
  for (const auto& figure : sized) {
    if (figure.benchmark->direction != towards) continue;
    found.by_label[figure.label][figure.bytes] = &figure;
    found.sizes[figure.bytes] = figure.size();
  }
  return found;
}

std::string cell(const figure* shown) {
  if (shown == nullptr) return "-";
  const auto us = shown->median_ns / 1000;
  if (shown->bytes < least_for_rates) return common::decimals(us, us < 1000 ? 3 : 1);
  return common::three_digits(shown->gb_per_s);
}

exports::table table_of(const sizes_of_direction& shown, const std::string& title) {
  exports::table table{.columns = {{"strategy", cells::codes, 0, title}}, .between = 1};
  for (const auto& [bytes, size] : shown.sizes)
    table.columns.push_back({bytes < least_for_rates ? "µs" : "GB/s", cells::numbers, 8, size});
  for (const auto& [label, figures] : shown.by_label) {
    auto& line = table.rows.emplace_back(exports::row{{label}}).cells;
    for (const auto& [bytes, size] : shown.sizes) {
      const auto found = figures.find(bytes);
      line.push_back(cell(found == figures.end() ? nullptr : found->second));
    }
  }
  return table;
}

}  // namespace

void add_sizes(exports::answer& out, const std::vector<figure>& sized) {
  constexpr std::size_t most_strategies = 12;
  const auto up = in_direction(sized, direction::h2d), down = in_direction(sized, direction::d2h);
  if (std::max(up.sizes.size(), down.sizes.size()) < 3) return;  // all are in other tables
  if (std::max(up.by_label.size(), down.by_label.size()) > most_strategies)
    return out.say(
        "For every size: gate_transfers show RESULT_FILE, or a run of fewer --strategies.");
  out.add(table_of(up, "every size, h2d"));
  out.add(table_of(down, "every size, d2h"));
}

}  // namespace bench_transfers::result_file
