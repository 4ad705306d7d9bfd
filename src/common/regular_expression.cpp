#include "src/common/regular_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string_view>
#include <vector>

namespace bench_transfers::common {
namespace {

/// 5000 fit into a stack of 8 MiB even with the large frames of sanitizers.
constexpr std::size_t most_in_sequence = 2000;

/// The greatest number of characters and groups of an expression that follow one another. Of
/// alternatives the longest counts; a counted repetition counts each time. For a text that is no
/// expression the result is arbitrary.
class sequence {
 public:
  explicit sequence(std::string_view text) : rest_(text) {
    while (!rest_.empty() && longest_ <= most_in_sequence) take_next();
  }

  [[nodiscard]] std::size_t longest() const { return longest_; }

 private:
  struct group {
    std::size_t begin = 0;    ///< length before the group
    std::size_t longest = 0;  ///< of its alternatives so far
  };

  void take_next() {
    switch (rest_.front()) {
      case '\\': add_atom(2); break;
      case '[': add_atom(bracket_length()); break;
      case '(':
        ++length_;
        open_.push_back({length_, length_});
        rest_.remove_prefix(1);
        break;
      case ')': close_group(); break;
      case '|':
        open_.back().longest = std::max(open_.back().longest, length_);
        length_ = open_.back().begin;
        rest_.remove_prefix(1);
        break;
      case '{': repeat(); break;
      default: add_atom(1);
    }
    longest_ = std::max(longest_, length_);
  }

  void add_atom(std::size_t characters) {
    atom_ = length_++;
    rest_.remove_prefix(std::min(characters, rest_.size()));
  }

  void close_group() {
    if (open_.size() == 1) return add_atom(1);
    length_ = std::max(length_, open_.back().longest);
    atom_ = open_.back().begin - 1;
    open_.pop_back();
    rest_.remove_prefix(1);
  }

  /// "{3}", "{2,5}": repeats the preceding atom.
  void repeat() {
    std::size_t times = 1;
    std::size_t number = 0;
    for (rest_.remove_prefix(1); !rest_.empty() && rest_.front() != '}'; rest_.remove_prefix(1)) {
      const auto digit = static_cast<unsigned char>(rest_.front());
      number = std::isdigit(digit) != 0 ? std::min(10 * number + (digit - '0'), most_in_sequence)
                                        : std::size_t{0};
      times = std::max(times, number);
    }
    length_ = atom_ + times * (length_ - atom_);
  }

  /// Length of "[...]": a closing bracket at the front, or within [:...:], [....] or [=...=], does
  /// not end it.
  [[nodiscard]] std::size_t bracket_length() const {
    std::size_t at = rest_.starts_with("[^") ? 2 : 1;
    if (at < rest_.size() && rest_[at] == ']') ++at;
    while (at < rest_.size() && rest_[at] != ']') {
      const auto inner = rest_.substr(at, 2);
      const bool opens = inner == "[:" || inner == "[." || inner == "[=";
      const auto end =
          opens ? rest_.find(std::string{inner[1], ']'}, at + 2) : std::string_view::npos;
      at = end == std::string_view::npos ? at + 1 : end + 2;
    }
    return at + 1;
  }

  std::string_view rest_;
  std::vector<group> open_{group{}};
  std::size_t length_ = 0;  ///< of the sequence so far
  std::size_t atom_ = 0;    ///< where the atom begins that a repetition would repeat
  std::size_t longest_ = 0;
};

}  // namespace

std::regex regular_expression(const std::string& text) {
  if (sequence(text).longest() > most_in_sequence)
    throw expression_error(
        fmt::format("is too long: more than {} characters in sequence", most_in_sequence));
  try {
    return std::regex(text, std::regex::extended);
  } catch (const std::regex_error& error) {
    throw expression_error(error.code() == std::regex_constants::error_space
                               ? "is too large a regular expression"
                               : "is not a regular expression");
  }
}

}  // namespace bench_transfers::common
