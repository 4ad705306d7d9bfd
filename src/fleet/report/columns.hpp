#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bench_transfers::fleet {

/// A column of a table for terminals.
struct text_column {
  std::string title;
  std::vector<std::string> cells;  ///< a line each
  bool is_of_numbers = false;      ///< right-aligned, and never cut
};

/// The title and the lines, as wide as they need, with two spaces between columns. Where that is
/// wider than the terminal, the widest names lose their middle ("gpu-no~-rack7"), but for
/// `least_letters`.
std::vector<std::string> aligned(std::vector<text_column> columns, std::size_t terminal_columns);
inline constexpr std::size_t least_letters = 12;

}  // namespace bench_transfers::fleet
