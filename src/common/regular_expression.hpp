#pragma once

#include <regex>
#include <stdexcept>
#include <string>

namespace bench_transfers::common {

/// A text is no regular expression that can be used; what() continues a sentence that names it:
/// "is not a regular expression".
class expression_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A POSIX extended regular expression. std::regex takes stack for each character that follows
/// another: what would end the program is refused. Alternatives can be as many as there is time and
/// memory for. Throws expression_error.
std::regex regular_expression(const std::string& text);

}  // namespace bench_transfers::common
