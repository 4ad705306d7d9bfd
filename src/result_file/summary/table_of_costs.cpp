#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "src/result_file/summary/tables.hpp"

namespace bench_transfers::result_file {
namespace {

struct shown_counter {
  const char* name;
  const char* title;
  int decimals, column_width;
};

constexpr std::array<shown_counter, 3> counters{{{"cpu_s_per_gb", "CPU s per GB", 4, 9},
                                                 {"cores", "cores busy", 2, 8},
                                                 {"multiprocessors", "multiprocessors", 0, 8}}};

/// h2d and d2h of each counter.
using cells = std::array<std::string, 2 * counters.size()>;

std::string line(const cells& shown) {
  std::string text;
  for (std::size_t i = 0; i < shown.size(); ++i)
    text += fmt::format("{:>{}}", shown[i].empty() ? "-" : shown[i], counters[i / 2].column_width);
  return text + "\n";
}

}  // namespace

std::string table_of_costs(const std::vector<figure>& sized, const figures& measured) {
  if (sized.empty() || !measured.has(counters[0].name)) return "";  // not in older versions' files
  const auto& largest = largest_of(sized);
  std::map<std::string, cells> rows;
  std::vector<std::string> order;
  std::size_t width = 34;
  for (const auto& figure : sized) {
    if (figure.bytes != largest.bytes) continue;
    if (!rows.contains(figure.label)) order.push_back(figure.label);
    auto& row = rows[figure.label];
    width = std::max(width, figure.label.size() + 1);
    for (std::size_t i = 0; i < counters.size(); ++i)
      if (const auto value = measured.median(*figure.benchmark, counters[i].name))
        row[2 * i + (figure.is_to_device() ? 0 : 1)] = number_or_dash(value, counters[i].decimals);
  }
  std::string text = fmt::format("\n{:<{}}{:^18}{:^16}{:^17}\n{:<{}}", "", width, counters[0].title,
                                 counters[1].title, counters[2].title,
                                 fmt::format("cost, {}", largest.size()), width);
  text += line({"h2d", "d2h", "h2d", "d2h", "h2d", "d2h"});
  for (const auto& label : order)
    text += fmt::format("{:<{}}", label, width) + line(rows.at(label));
  return text;
}

}  // namespace bench_transfers::result_file
