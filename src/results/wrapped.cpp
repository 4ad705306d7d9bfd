#include "results/wrapped.hpp"

#include <sstream>

namespace results {

std::string wrapped(const std::string& text, std::size_t columns) {
  std::istringstream words(text);
  std::string lines;
  std::string line;
  for (std::string word; words >> word;) {
    if (!line.empty() && line.size() + 1 + word.size() > columns) {
      lines += line + "\n";
      line = " ";
    }
    line += line.empty() ? word : " " + word;
  }
  return lines + line + "\n";
}

std::string wrapped_if_long(const std::string& text) {
  return text.size() <= terminal_columns ? text + "\n" : wrapped(text);
}

}  // namespace results
