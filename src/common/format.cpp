#include "src/common/format.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>

namespace bench_transfers::common {

std::string three_digits(double value) {
  const double size = std::abs(value);  // differences may be negative
  if (size < 9.995) return fmt::format("{:.2f}", value);
  if (size < 99.95) return fmt::format("{:.1f}", value);
  return fmt::format("{:.0f}", value);
}

std::string decimals(double value, int count) { return fmt::format("{:.{}f}", value, count); }

std::string time_text(double ns) {
  if (ns < 999.5) return three_digits(ns) + " ns";
  if (ns < 999.5e3) return three_digits(ns / 1e3) + " µs";
  if (ns < 999.5e6) return three_digits(ns / 1e6) + " ms";
  return three_digits(ns / 1e9) + " s";
}

std::string time_cell(double ns) {
  if (ns < 1e3) return decimals(ns, 1) + " ns";
  if (ns < 1e6) return decimals(ns / 1e3, 2) + " µs";
  if (ns < 1e9) return decimals(ns / 1e6, 2) + " ms";
  return decimals(ns / 1e9, 2) + " s";
}

std::string size_text(double bytes) {
  constexpr std::array<std::string_view, 4> units{"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.4g} {}", bytes, units[unit]);
}

std::string rate_digits(double gb_per_s) {
  return gb_per_s < 10 ? fmt::format("{:.2g}", gb_per_s) : fmt::format("{:.0f}", gb_per_s);
}

std::string percent_text(double part) { return decimals(100 * part, 1) + " %"; }

std::string slower_text(double part) {
  return part <= 1 ? percent_text(part) : "a factor of " + three_digits(1 + part);
}

std::string slower_text(double part, double low, double high) {
  const auto end = part <= 1 ? percent_text : [](double of) { return three_digits(1 + of); };
  return fmt::format("{} [{}, {}]", slower_text(part), end(low), end(high));
}

std::string count_text(double count) {
  return count < 1e7 ? fmt::format("{:.0f}", count) : fmt::format("{:.0e}", count);
}

std::string counted(double count, const std::string& singular, const std::string& plural) {
  return fmt::format("{:.15g} {}", count,
                     count == 1       ? singular
                     : plural.empty() ? singular + "s"
                                      : plural);
}

std::string listed(const std::vector<std::string>& names, std::size_t most) {
  const auto shown = std::min(names.size(), most);
  const auto end = std::next(names.begin(), static_cast<std::ptrdiff_t>(shown));
  const auto more = names.size() - shown;
  return fmt::format("{}{}", fmt::join(names.begin(), end, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace bench_transfers::common
