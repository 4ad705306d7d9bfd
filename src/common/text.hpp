#pragma once

#include <concepts>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

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

/// A limit in MiB: "128 MiB", "0.0625 MiB".
std::string mib_text(std::size_t bytes);

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

/// "a, b and c": names within a sentence.
std::string in_sentence(const std::vector<std::string>& names);

/// Letters of UTF-8, which are one column of a terminal wide each.
std::size_t letters_in(std::string_view text);
std::string first_letters(std::string_view text, std::size_t letters);

/// Text that cannot break a line or control a terminal: control characters, characters that change
/// the direction of writing, and bytes that are not UTF-8 become `\n`, `\x1b`, `\u202e`.
std::string printable(std::string_view text);

/// The same for messages: a text longer than a few terminal lines ends with "…".
std::string printable_in_short(std::string_view text);

/// The parts of "h2d,d2h", empty ones as well: one of an empty list.
std::vector<std::string> split(std::string_view list, char separator = ',');

inline constexpr std::size_t terminal_columns = 100;

/// A sentence over as many lines as it needs; further lines are indented.
std::string wrapped(const std::string& text, std::size_t columns = terminal_columns,
                    std::size_t indent = 2);

/// The same, but a short line stays as it is: names of files may contain several spaces in a row.
std::string wrapped_if_long(const std::string& text, std::size_t columns = terminal_columns,
                            std::size_t indent = 2);

/// "2_arguments" before "16_arguments", and parts of names that are sizes by their bytes:
/// "copy/pinned/h2d/64KiB" before "copy/pinned/h2d/1MiB", "512B_blocks" before "4KiB_blocks". Sizes
/// come before other parts.
struct natural_order {
  bool operator()(std::string_view lhs, std::string_view rhs) const;
};

/// The name that was probably meant by `name`: the one with the smallest edit distance
/// (Levenshtein), which may be a third of the letters of `name`, and at least one. Empty if there
/// is none.
std::string nearest(std::string_view name, const std::set<std::string>& names);

}  // namespace bench_transfers::common
