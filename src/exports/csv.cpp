#include "src/exports/csv.hpp"

#include <fmt/format.h>

#include <string_view>

namespace bench_transfers::exports {

csv_cell csv_text(const std::string& text) {
  const bool is_formula =
      !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
  const auto shown = is_formula ? "'" + text : text;
  if (shown.find_first_of(",\"\r\n") == std::string::npos) return {shown};
  std::string quoted = "\"";
  for (const char character : shown)
    quoted += character == '"' ? "\"\"" : std::string(1, character);
  return {quoted + "\""};
}

csv_cell csv_number(double value) { return {fmt::format("{}", value)}; }

std::string csv_line(const std::vector<csv_cell>& cells) {
  std::string line;
  const char* separator = "";
  for (const auto& cell : cells) {
    line += separator + cell.text;
    separator = ",";
  }
  return line + "\n";
}

}  // namespace bench_transfers::exports
