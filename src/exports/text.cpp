#include "src/exports/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "src/common/text.hpp"

namespace bench_transfers::exports {
namespace {

using common::letters_in;

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

/// The end of the columns from `begin` on that share a heading.
std::size_t end_of_heading(const std::vector<column>& columns, std::size_t begin) {
  auto end = begin + 1;
  while (end < columns.size() && !columns[begin].over.empty() &&
         columns[end].over == columns[begin].over)
    ++end;
  return end;
}

/// The letters of the columns [begin, end), with the spaces between them.
std::size_t room_of(const table& shown, const std::vector<std::size_t>& widths, std::size_t begin,
                    std::size_t end) {
  std::size_t room = 0;
  for (auto i = begin; i < end; ++i) room += widths[i] + (i == begin ? 0 : shown.between);
  return room;
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
  for (std::size_t i = 0, end = 0; i < widths.size(); i = end) {
    end = end_of_heading(shown.columns, i);
    const auto room = room_of(shown, widths, i, end), letters = letters_in(shown.columns[i].over);
    if (letters > room) widths[end - 1] += letters - room;
  }
  const auto all = room_of(shown, widths, 0, widths.size());
  if (all > most) narrow(shown.columns, widths, all - most);
  for (std::size_t i = 0; i < widths.size() && all < most; ++i)
    if (shown.columns[i].cells == cells::codes) widen(i, most - all + widths[i]);
  return widths;
}

/// How many columns there is room for: the first one, and at least those below the next heading.
/// All where some are not numbers, which say something of the whole row.
std::size_t columns_that_fit(const table& shown, std::size_t most) {
  const auto numbers = std::ranges::count(shown.columns, cells::numbers, &column::cells);
  if (static_cast<std::size_t>(numbers) + 1 < shown.columns.size()) return shown.columns.size();
  const auto widths = widths_of(shown, most);
  std::size_t fit = 1;
  for (auto end = fit; end < widths.size(); fit = end) {
    end = end_of_heading(shown.columns, end);
    if (fit > 1 && room_of(shown, widths, 0, end) > most) break;
  }
  return fit;
}

/// Its first column and those of [begin, end).
table part_of(table shown, std::size_t begin, std::size_t end) {
  const auto cut = [&](auto& list) {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(end), list.end());
    list.erase(list.begin() + 1, list.begin() + static_cast<std::ptrdiff_t>(begin));
  };
  cut(shown.columns);
  for (auto& row : shown.rows) cut(row.cells);
  return shown;
}

std::string stripped(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string line_of(const table& shown, const row& row, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0, margin = 0; i < widths.size(); ++i) {
    const auto& column = shown.columns[i];
    const std::string space(i == 0 ? 0 : shown.between, ' ');
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

/// What stands above the titles, in the middle of the columns that share it.
std::string headings_of(const table& shown, const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0, end = 0; i < widths.size(); i = end) {
    end = end_of_heading(shown.columns, i);
    const auto begin = room_of(shown, widths, 0, i) + (i == 0 ? 0 : shown.between);
    const auto& heading = shown.columns[i].over;
    const auto rest = room_of(shown, widths, i, end) - letters_in(heading);
    const bool is_right = shown.columns[i].cells == cells::numbers;
    const auto left = begin + (end > i + 1 ? (rest + 1) / 2 : is_right ? rest : 0);
    if (!heading.empty()) line += std::string(left - letters_in(line), ' ') + heading;
  }
  return line.empty() ? "" : line + "\n";
}

/// The titles of the columns, or of the table and of what is right of its names.
std::string head_of(const table& shown, const std::vector<std::size_t>& widths) {
  row titles;
  for (const auto& column : shown.columns) titles.cells.push_back(column.title);
  const auto line = stripped(line_of(shown, titles, widths));
  if (shown.title.empty()) return headings_of(shown, widths) + (line == "\n" ? "" : line);
  std::size_t names = 0;
  while (names < widths.size() && shown.columns[names].cells != cells::numbers) ++names;
  const auto letters = room_of(shown, widths, 0, names), used = letters_in(shown.title);
  return stripped(
      shown.title +
      (used > letters ? "\n" + std::string(letters, ' ') : std::string(letters - used, ' ')) +
      line_of(shown, titles, widths).substr(letters));
}

/// The text's lines, each with the label.
std::string labelled(const std::string& text, const std::string& label) {
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);)
    result += (line.empty() ? "" : label + line) + "\n";
  return result;
}

}  // namespace

std::string text_of(const section& shown, std::size_t terminal_columns) {
  if (shown.sentences.empty()) return "";
  const std::size_t margin = shown.title.empty() ? 0 : 2;
  auto text = shown.title.empty() ? "" : shown.title + ":\n";
  for (const auto& sentence : shown.sentences)
    text += std::string(margin, ' ') +
            common::wrapped_if_long(sentence, terminal_columns - margin, margin + 2);
  return text;
}

std::string text_of(const finding& shown, std::size_t terminal_columns) {
  auto text = "  " + shown.title + "\n";
  for (const auto& paragraph : shown.paragraphs)
    text += "    " + common::wrapped(paragraph, terminal_columns - 4, 4);
  return text + (shown.command.empty() ? "" : "    $ " + shown.command + "\n");
}

std::string text_of(const table& shown, std::size_t terminal_columns) {
  if (const auto fit = columns_that_fit(shown, terminal_columns); fit < shown.columns.size())
    return text_of(part_of(shown, 1, fit), terminal_columns) + "\n" +
           text_of(part_of(shown, fit, shown.columns.size()), terminal_columns);
  const auto widths = widths_of(shown, terminal_columns);
  auto text = head_of(shown, widths);
  for (const auto& row : shown.rows) {
    text += stripped(line_of(shown, row, widths));
    std::istringstream notes(row.note);
    for (std::string note; std::getline(notes, note);)
      text += "  " + common::wrapped_if_long(note, terminal_columns - 2, 4);
  }
  return text;
}

std::string text_of(const answer& shown, std::size_t terminal_columns) {
  const auto columns = terminal_columns - letters_in(shown.label);
  std::string text;
  for (const auto& part : shown.parts)
    text += std::visit([&](const auto& of_kind) { return text_of(of_kind, columns); }, part);
  return labelled(text, shown.label);
}

}  // namespace bench_transfers::exports
