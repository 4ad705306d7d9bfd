#pragma once

#include <regex>
#include <stdexcept>
#include <string>

namespace bench_transfers::common {

/// A text cannot be used as a regular expression; what() continues a sentence that names it: "is
/// not a regular expression".
class expression_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A POSIX extended regular expression. std::regex uses stack for each character of a sequence, so
/// an expression that would overflow the stack is refused. The number of alternatives is limited by
/// time and memory only. Throws expression_error.
std::regex regular_expression(const std::string& text);

}  // namespace bench_transfers::common
