#include <fmt/format.h>

#include "src/result_file/summary/tables.hpp"

namespace bench_transfers::result_file {
namespace {

/// Of one direction: while the other one is kept busy, and alone.
struct rates {
  std::optional<double> at_once, alone;

  [[nodiscard]] std::optional<double> percent_lost() const {
    return at_once && alone ? std::optional(100 * (1 - *at_once / *alone)) : std::nullopt;
  }
};

rates rates_of(const benchmark& described, direction towards, const figures& measured) {
  const auto front = to_string(towards);
  return {measured.median(described, front + "_gb_per_s"),
          measured.median(described, front + "_alone_gb_per_s")};
}

}  // namespace

exports::table table_of_duplex(const std::vector<figure>& sized, const figures& measured) {
  if (sized.empty()) return {};
  const auto& largest = largest_of(sized);
  exports::table table{.columns = {{"", cells::codes, 42,
                                    fmt::format("both ways at once, {}, GB/s", largest.size())},
                                   {"", cells::numbers, 8, "in all"}},
                       .between = 1};
  for (const auto* over : {"at once", "alone"})
    for (const auto* direction : {"h2d", "d2h"})
      table.columns.push_back({direction, cells::numbers, 7, over});
  table.columns.push_back({"h2d", cells::numbers, 6, "% lost"});
  table.columns.push_back({"d2h", cells::numbers, 5, "% lost"});
  for (const auto& figure : sized) {
    if (figure.bytes != largest.bytes) continue;
    const auto h2d = rates_of(*figure.benchmark, direction::h2d, measured);
    const auto d2h = rates_of(*figure.benchmark, direction::d2h, measured);
    table.rows.push_back(
        {{front_of(*figure.benchmark), number_or_dash(figure.gb_per_s, 2),
          number_or_dash(h2d.at_once, 2), number_or_dash(d2h.at_once, 2),
          number_or_dash(h2d.alone, 2), number_or_dash(d2h.alone, 2),
          number_or_dash(h2d.percent_lost(), 1), number_or_dash(d2h.percent_lost(), 1)}});
  }
  return table;
}

}  // namespace bench_transfers::result_file
