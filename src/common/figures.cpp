#include "src/common/figures.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

namespace bench_transfers::common {
namespace {

/// A very large part is shown as a factor.
bool is_percentage(double part) {
  constexpr double most = 9999.5;
  return 100 * part < most;
}

}  // namespace

std::string four_digits(double value) {
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1e6 || size < 1e-3) return fmt::format("{:.3e}", value);
  if (size >= 999.95) return fmt::format("{:.0f}", value);
  if (size >= 99.995) return fmt::format("{:.1f}", value);
  if (size >= 9.9995) return fmt::format("{:.2f}", value);
  return fmt::format("{:.3f}", value);
}

std::string in_unit(double value, const units_of_figures& names) {
  std::size_t i = 0;
  double scale = 1;
  for (; i + 1 < names.size() && value >= 999.95 * scale; ++i) scale *= 1000;
  return fmt::format("{} {}", four_digits(value / scale), names.at(i));
}

std::string time_figure(double ns) { return in_unit(ns, {"ns", "µs", "ms", "s"}); }
std::string rate_figure(double gb_per_s) { return in_unit(gb_per_s * 1e9, byte_rates); }

std::string percent_figure(double part, bool with_sign) {
  return percent_digits(part, with_sign) + (is_percentage(part) ? " %" : "");
}

std::string percent_digits(double part, bool with_sign) {
  if (!is_percentage(part)) return (with_sign ? "×" : "a factor of ") + four_digits(1 + part);
  constexpr double least = 0.005;  // less is shown as zero, which has no minus
  const double percent = std::abs(100 * part) < least ? 0 : 100 * part;
  const double size = std::abs(percent);
  const std::string sign = with_sign ? "+" : "";
  const auto* const form = size < 9.995 ? ".2f" : size < 99.95 ? ".1f" : ".0f";
  return fmt::format(fmt::runtime("{:" + sign + form + "}"), percent);
}

std::string times_figure(double factor) { return times_digits(factor) + "×"; }
std::string times_digits(double factor) {
  return fmt::format(fmt::runtime(factor < 9.95 ? "{:.2f}" : "{:.0f}"), factor);
}

std::string grouped(double count) {
  auto text = fmt::format("{:.0f}", count);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

}  // namespace bench_transfers::common
