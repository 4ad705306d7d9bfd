#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace bench_transfers::exports {

// The parts of an answer, which text.hpp and markdown.hpp write. Their texts must be printable
// (common/printable.hpp).

/// Sentences below a title, or without one.
struct section {
  std::string title;
  std::vector<std::string> sentences = {};
};

/// What was found, and what to do about it.
struct finding {
  std::string title;
  std::vector<std::string> paragraphs;
  std::string command = "";  ///< stays on one line, to be copied
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
  std::string over = "";  ///< in a text above the title; once for all columns side by side with it
};

struct row {
  std::vector<std::string> cells;
  std::string note = "";  ///< below it, of one line or more
  bool is_part = false;   ///< of the row above: it is indented, and its code is no code
};

struct table {
  /// In a text above the columns without numbers, in place of their titles.
  std::string title = "";
  std::vector<column> columns = {};
  std::vector<row> rows = {};
  bool is_folded = false;   ///< in Markdown
  std::size_t between = 2;  ///< spaces between the columns of a text
};

/// What a command says, part by part.
struct answer {
  std::string label = "";  ///< of each line: "(host, no GPU) "
  std::vector<std::variant<section, finding, table>> parts = {};

  /// A paragraph; an empty line of no words.
  void say(std::string text) { parts.emplace_back(section{"", {std::move(text)}}); }
  /// After an empty line; nothing of no rows.
  void add(table shown) {
    if (shown.rows.empty()) return;
    say("");
    parts.emplace_back(std::move(shown));
  }
};

}  // namespace bench_transfers::exports
