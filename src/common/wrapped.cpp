#include "src/common/wrapped.hpp"

#include <sstream>

namespace bench_transfers::common {

std::string wrapped(const std::string& text, std::size_t columns, std::size_t indent) {
  std::istringstream words(text);
  std::string lines;
  std::string line;
  bool line_begins = true;
  for (std::string word; words >> word;) {
    if (!line_begins && line.size() + 1 + word.size() > columns) {
      lines += line + "\n";
      line.assign(indent, ' ');
      line_begins = true;
    }
    line += (line_begins ? "" : " ") + word;
    line_begins = false;
  }
  return lines + line + "\n";
}

std::string wrapped_if_long(const std::string& text) {
  return text.size() <= terminal_columns ? text + "\n" : wrapped(text);
}

}  // namespace bench_transfers::common
