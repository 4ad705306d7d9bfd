#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bench_transfers::exports {

// The parts of an answer, which text.hpp and markdown.hpp write. Their texts must be printable
// (common/printable.hpp).

/// Sentences below a title.
struct section {
  std::string title;
  std::vector<std::string> sentences = {};
};

/// How the cells of a column are written.
enum class cells {
  words,   ///< may lose their middle where there is no room; in Markdown of one line or more
  codes,   ///< as they are, to be copied: a long one has a line of its own
  numbers  ///< right-aligned, as they are
};

struct column {
  std::string title;
  exports::cells cells = cells::words;
  std::size_t least = 0;  ///< letters of text, so that tables below each other are alike
};

struct row {
  std::vector<std::string> cells;
  std::string note = "";  ///< below it
  bool is_part = false;   ///< of the row above: it is indented, and its code is no code
};

struct table {
  std::string title;  ///< in a text above the columns without numbers, in place of their titles
  std::vector<column> columns;
  std::vector<row> rows = {};
  bool is_folded = false;  ///< in Markdown
};

}  // namespace bench_transfers::exports
