#pragma once

#include <string>
#include <vector>

namespace bench_transfers::exports {

/// A cell of CSV (RFC 4180), as it stands in the line. Texts that a spreadsheet would take for a
/// formula begin with an apostrophe (OWASP, "CSV Injection").
struct csv_cell {
  std::string text;
};

/// A cell that shows a text as it is.
csv_cell csv_text(const std::string& text);
/// A cell with a number, which may be negative.
csv_cell csv_number(double value);

/// The line ends with a line feed.
std::string csv_line(const std::vector<csv_cell>& cells);

}  // namespace bench_transfers::exports
