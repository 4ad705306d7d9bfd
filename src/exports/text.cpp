#include "src/exports/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "src/common/text.hpp"

namespace bench_transfers::exports {
namespace {

using common::letters_in;

constexpr std::size_t between = 2;  // spaces, and letters are at least as far from the next column

std::string without_middle(const std::string& text, std::size_t most) {
  const auto letters = letters_in(text);
  if (letters <= most) return text;
  const auto end = (most - 1) / 3;
  return common::first_letters(text, most - 1 - end) + "~" +
         text.substr(common::first_letters(text, letters - end).size());
}

std::string cell_of(const row& row, std::size_t i, const column& column) {
  return row.is_part && column.cells == cells::codes ? "  " + row.cells[i] : row.cells[i];
}

/// Narrows the widest column of words until all fit, or none can be narrower.
void narrow(const std::vector<column>& columns, std::vector<std::size_t>& widths,
            std::size_t excess) {
  for (; excess > 0; --excess) {
    std::size_t* widest = nullptr;
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i].cells == cells::words && widths[i] > least_letters &&
          (widest == nullptr || widths[i] > *widest))
        widest = &widths[i];
    if (widest == nullptr) return;
    --*widest;
  }
}

std::vector<std::size_t> widths_of(const table& shown, std::size_t most) {
  std::vector<std::size_t> widths;
  const auto widen = [&](std::size_t i, std::size_t room) {
    for (const auto& row : shown.rows)
      if (const auto letters = letters_in(cell_of(row, i, shown.columns[i])); letters <= room)
        widths[i] = std::max(widths[i], letters);
  };
  for (const auto& column : shown.columns) {
    widths.push_back(std::max(column.least, letters_in(column.title)));
    if (column.cells != cells::codes) widen(widths.size() - 1, std::string::npos);
  }
  const auto all =
      std::accumulate(widths.begin(), widths.end(), between * (widths.size() - 1), std::plus{});
  if (all > most) narrow(shown.columns, widths, all - most);
  for (std::size_t i = 0; i < widths.size() && all < most; ++i)
    if (shown.columns[i].cells == cells::codes) widen(i, most - all + widths[i]);
  return widths;
}

std::string stripped(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string line_of(const table& shown, const row& row, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0, margin = 0; i < widths.size(); ++i) {
    const auto& column = shown.columns[i];
    const std::string space(i == 0 ? 0 : between, ' ');
    margin += space.size() + widths[i];
    auto cell = cell_of(row, i, column);
    if (column.cells == cells::words) cell = without_middle(cell, widths[i]);
    const auto letters = letters_in(cell);
    const std::string rest(letters < widths[i] ? widths[i] - letters : 0, ' ');
    line += space + (column.cells == cells::numbers ? rest + cell : cell + rest);
    if (letters > widths[i] && column.cells == cells::codes)
      line += "\n" + std::string(margin, ' ');
  }
  return line;
}

/// The titles of the columns, or of the table and of what is right of its names.
std::string head_of(const table& shown, const std::vector<std::size_t>& widths) {
  row titles;
  for (const auto& column : shown.columns) titles.cells.push_back(column.title);
  if (shown.title.empty()) return stripped(line_of(shown, titles, widths));
  std::size_t names = 0, letters = 0;
  for (; names < widths.size() && shown.columns[names].cells != cells::numbers; ++names)
    letters += widths[names] + (names == 0 ? 0 : between);
  const auto used = letters_in(shown.title);
  return stripped(
      shown.title +
      (used > letters ? "\n" + std::string(letters, ' ') : std::string(letters - used, ' ')) +
      line_of(shown, titles, widths).substr(letters));
}

}  // namespace

std::string text_of(const section& shown) {
  if (shown.sentences.empty()) return "";
  return fmt::format("{}:\n  {}\n", shown.title, fmt::join(shown.sentences, "\n  "));
}

std::string text_of(const table& shown, std::size_t terminal_columns) {
  const auto widths = widths_of(shown, terminal_columns);
  auto text = head_of(shown, widths);
  for (const auto& row : shown.rows) {
    text += stripped(line_of(shown, row, widths));
    if (!row.note.empty()) text += "  " + common::wrapped(row.note, terminal_columns - 2, 4);
  }
  return text;
}

}  // namespace bench_transfers::exports
