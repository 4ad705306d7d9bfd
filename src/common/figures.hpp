#pragma once

#include <array>
#include <string>
#include <string_view>

// Figures with four digits, as in the gate's tables and in the sentences of reports.
// plots/text/numbers.py has the same rules.

namespace bench_transfers::common {

/// Four significant digits, without an exponent unless the number is very large or small.
std::string four_digits(double value);

/// Units, each a thousand times its predecessor.
using units_of_figures = std::array<std::string_view, 4>;
inline constexpr units_of_figures byte_rates{"B/s", "kB/s", "MB/s", "GB/s"};

/// With the first unit that leaves less than a thousand: "2.423 ms".
std::string in_unit(double value, const units_of_figures& names);
std::string time_figure(double ns);
std::string rate_figure(double gb_per_s);

/// Three digits of a percentage: "12.3 %"; of a very large part, how many times as much: "a factor
/// of 124", with a sign "×124".
std::string percent_figure(double part, bool with_sign = false);
/// The same without " %": "12.3".
std::string percent_digits(double part, bool with_sign = false);

/// "1.25×", "12×"; "1.25", "12".
std::string times_figure(double factor);
std::string times_digits(double factor);

/// A whole number: "1,000,000".
std::string grouped(double count);

}  // namespace bench_transfers::common
