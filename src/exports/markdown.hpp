#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/exports/answer.hpp"

namespace bench_transfers::exports {

/// The text as Markdown that shows it as it is: no markup, no link, no mention, one line.
std::string markdown_text(const std::string& text);

/// The same as code.
std::string markdown_code(const std::string& text);

/// An answer as a comment. Lists and tables have as many lines as there is room for, and say how
/// many more there are.
class comment {
 public:
  /// GitHub accepts 65,536 characters; the text after a shortened list needs some of them.
  static constexpr std::size_t most_bytes = 60'000;

  void add(const std::string& markdown) { text_ += markdown; }
  /// A paragraph of a text.
  void say(const std::string& text) { add(markdown_text(text) + "\n\n"); }
  /// Nothing of no sentences.
  void add(const section& shown);
  /// Below its title; nothing of no rows.
  void add(const table& shown, std::size_t most = most_bytes);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void add_lines(const std::string& head, const std::vector<std::string>& lines, std::size_t most);

  std::string text_;
};

}  // namespace bench_transfers::exports
