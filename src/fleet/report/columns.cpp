#include "src/fleet/report/columns.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace bench_transfers::fleet {
namespace {

constexpr std::size_t between = 2;  // spaces, and letters are at least as far from the next column

bool is_continuation(char byte) {
  constexpr unsigned char of_continuation = 0xC0;
  constexpr unsigned char continuation = 0x80;
  return (static_cast<unsigned char>(byte) & of_continuation) == continuation;
}

/// Of UTF-8.
std::size_t letters_in(const std::string& text) {
  return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, is_continuation));
}

/// Where the letter with this number begins.
std::size_t byte_of(const std::string& text, std::size_t letter) {
  std::size_t at = 0;
  for (; at < text.size(); ++at)
    if (!is_continuation(text[at]) && letter-- == 0) break;
  return at;
}

std::string without_middle(const std::string& text, std::size_t most) {
  const auto letters = letters_in(text);
  if (letters <= most) return text;
  const auto kept = most - 1;
  const auto end = kept / 3;
  return text.substr(0, byte_of(text, kept - end)) + "~" +
         text.substr(byte_of(text, letters - end));
}

std::size_t width_of(const text_column& column) {
  auto width = letters_in(column.title);
  for (const auto& cell : column.cells) width = std::max(width, letters_in(cell));
  return width;
}

/// Narrows the widest column of names until all fit, or none can be narrower.
void fit(const std::vector<text_column>& columns, std::vector<std::size_t>& widths,
         std::size_t most) {
  const auto all =
      std::accumulate(widths.begin(), widths.end(), between * (widths.size() - 1), std::plus{});
  for (auto excess = all > most ? all - most : 0; excess > 0; --excess) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (!columns[i].is_of_numbers && widths[i] > least_letters &&
          (widest == nullptr || widths[i] > *widest))
        widest = &widths[i];
    if (widest == nullptr) return;
    --*widest;
  }
}

}  // namespace

std::vector<std::string> aligned(std::vector<text_column> columns, std::size_t terminal_columns) {
  std::vector<std::size_t> widths;
  std::size_t count = 0;
  for (auto& column : columns) {
    widths.push_back(width_of(column));
    count = std::max(count, column.cells.size());
  }
  std::vector<std::string> lines(count + 1);
  if (columns.empty()) return lines;
  fit(columns, widths, terminal_columns);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    columns[i].cells.insert(columns[i].cells.begin(), columns[i].title);
    for (std::size_t line = 0; line < columns[i].cells.size(); ++line) {
      const auto cell = without_middle(columns[i].cells[line], widths[i]);
      const std::string space(widths[i] - letters_in(cell), ' ');
      lines[line] += std::string(i == 0 ? 0 : between, ' ');
      lines[line] += columns[i].is_of_numbers ? space + cell : cell + space;
    }
  }
  return lines;
}

}  // namespace bench_transfers::fleet
