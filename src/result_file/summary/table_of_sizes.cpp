#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "src/common/text.hpp"
#include "src/result_file/summary/tables.hpp"

namespace bench_transfers::result_file {
namespace {

constexpr std::size_t bandwidth_width = 9;
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

using size_column = std::pair<const double, std::string>;

/// The columns of some sizes.
std::string block(const sizes_of_direction& shown, std::string_view title, std::size_t label_width,
                  std::span<const size_column* const> columns) {
  auto text = fmt::format("\n{:<{}}", title, label_width);
  for (const auto* at : columns) text += fmt::format("{:>{}}", at->second, bandwidth_width);
  text += fmt::format("\n{:<{}}", "strategy", label_width);
  for (const auto* at : columns)
    text += fmt::format("{:>{}}", at->first < least_for_rates ? "µs" : "GB/s", bandwidth_width);
  text += "\n";
  for (const auto& [label, figures] : shown.by_label) {
    text += fmt::format("{:<{}}", label, label_width);
    for (const auto* at : columns) {
      const auto found = figures.find(at->first);
      text += fmt::format("{:>{}}", cell(found == figures.end() ? nullptr : found->second),
                          bandwidth_width);
    }
    text += "\n";
  }
  return text;
}

std::string blocks(const sizes_of_direction& shown, std::string_view title, std::size_t columns) {
  std::size_t label_width = title.size() + 2;
  for (const auto& [label, figures] : shown.by_label)
    label_width = std::max(label_width, label.size() + 2);
  std::vector<const size_column*> sizes;
  for (const auto& size : shown.sizes) sizes.push_back(&size);
  const auto room = columns > label_width ? (columns - label_width) / bandwidth_width : 1;
  const auto in_row = std::max<std::size_t>(room, 1);
  std::string text;
  for (std::size_t first = 0; first < sizes.size(); first += in_row)
    text += block(shown, title, label_width,
                  std::span(sizes).subspan(first, std::min(in_row, sizes.size() - first)));
  return text;
}

}  // namespace

std::string table_of_sizes(const std::vector<figure>& sized, std::size_t columns) {
  constexpr std::size_t most_strategies = 12;
  const auto up = in_direction(sized, direction::h2d), down = in_direction(sized, direction::d2h);
  if (std::max(up.sizes.size(), down.sizes.size()) < 3) return "";  // all are in other tables
  if (std::max(up.by_label.size(), down.by_label.size()) > most_strategies)
    return "For every size: gate_transfers show RESULT_FILE, or a run of fewer --strategies.\n";
  return (up.sizes.empty() ? "" : blocks(up, "every size, h2d", columns)) +
         (down.sizes.empty() ? "" : blocks(down, "every size, d2h", columns));
}

}  // namespace bench_transfers::result_file
