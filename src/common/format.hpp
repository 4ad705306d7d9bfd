#pragma once

#include <concepts>
#include <cstddef>
#include <string>
#include <vector>

// Numbers as texts for people.

namespace bench_transfers::common {

/// Three significant digits, two decimals at most: "0.50", "9.87", "98.7", "987".
std::string three_digits(double value);

/// `count` decimals: "0.50".
std::string decimals(double value, int count);

/// Three significant digits with the largest unit that leaves a whole number: "9.87 µs".
std::string time_text(double ns);

/// The same with a fixed number of decimals for each unit, so that columns can be compared:
/// "24.9 ns", "25.30 µs", "1.50 s".
std::string time_cell(double ns);

/// A size with the largest unit that it reaches: "8 MiB", "1.5 KiB", "12 B".
std::string size_text(double bytes);

/// A rate in GB/s: two significant digits, or all digits before the point.
std::string rate_digits(double gb_per_s);

/// "12.3 %" for 0.123.
std::string percent_text(double part);
/// By how much something takes longer: "12.3 %", and of more than 100 % how many times as long:
/// "a factor of 2.51".
std::string slower_text(double part);
/// The same with its interval: "12.3 % [10.1 %, 14.5 %]", "a factor of 2.51 [1.90, 3.20]".
std::string slower_text(double part, double low, double high);

/// A whole number, shortened if it is long: "250", "5e+08".
std::string count_text(double count);

/// "1 row", "2 rows". `plural`: if it is not the singular with -s.
std::string counted(double count, const std::string& singular, const std::string& plural = "");
template <std::integral Count>
std::string counted(Count count, const std::string& singular, const std::string& plural = "") {
  return counted(static_cast<double>(count), singular, plural);
}

/// "a, b, c"; of more than `most` "a, b and 3 more".
std::string listed(const std::vector<std::string>& names, std::size_t most);

}  // namespace bench_transfers::common
