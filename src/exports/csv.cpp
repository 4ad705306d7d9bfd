#include "src/exports/csv.hpp"

#include <string_view>
#include <utility>

namespace bench_transfers::exports {
namespace {

std::string text_cell(const std::string& text) {
  const bool is_formula =
      !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
  const auto shown = is_formula ? "'" + text : text;
  if (shown.find_first_of(",\"\r\n") == std::string::npos) return shown;
  std::string quoted = "\"";
  for (const char character : shown)
    quoted += character == '"' ? "\"\"" : std::string(1, character);
  return quoted + "\"";
}

}  // namespace

std::string csv_of(const table& shown) {
  std::string text, separator;
  for (const auto& column : shown.columns) text += std::exchange(separator, ",") + column.title;
  text += "\n";
  for (const auto& row : shown.rows) {
    separator = "";
    for (std::size_t i = 0; i < shown.columns.size(); ++i)
      text += std::exchange(separator, ",") +
              (shown.columns[i].cells == cells::numbers ? row.cells[i] : text_cell(row.cells[i]));
    text += "\n";
  }
  return text;
}

}  // namespace bench_transfers::exports
