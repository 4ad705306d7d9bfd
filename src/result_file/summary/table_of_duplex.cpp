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

std::string table_of_duplex(const std::vector<figure>& sized, const figures& measured) {
  if (sized.empty()) return "";
  const auto& largest = largest_of(sized);
  std::string text =
      fmt::format("\n{:<42}{:>9}{:^16}{:^16}{:^13}\n{:<51}{:>8}{:>8}{:>8}{:>8}{:>7}{:>6}\n",
                  fmt::format("both ways at once, {}, GB/s", largest.size()), "in all", "at once",
                  "alone", "% lost", "", "h2d", "d2h", "h2d", "d2h", "h2d", "d2h");
  for (const auto& figure : sized) {
    if (figure.bytes != largest.bytes) continue;
    const auto h2d = rates_of(*figure.benchmark, direction::h2d, measured);
    const auto d2h = rates_of(*figure.benchmark, direction::d2h, measured);
    text += fmt::format("{:<42}{:>9}{:>8}{:>8}{:>8}{:>8}{:>7}{:>6}\n", front_of(*figure.benchmark),
                        number_or_dash(figure.gb_per_s, 2), number_or_dash(h2d.at_once, 2),
                        number_or_dash(d2h.at_once, 2), number_or_dash(h2d.alone, 2),
                        number_or_dash(d2h.alone, 2), number_or_dash(h2d.percent_lost(), 1),
                        number_or_dash(d2h.percent_lost(), 1));
  }
  return text;
}

}  // namespace bench_transfers::result_file
