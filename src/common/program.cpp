#include "src/common/program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "src/common/printable.hpp"
#include "src/common/whole_file.hpp"
#include "src/common/wrapped.hpp"

namespace bench_transfers::common {

void complain(const char* program, const std::string& sentence) {
  const auto line = fmt::format("{}: {}", program, printable(sentence));
  // A log is searched line by line.
  const auto text = isatty(STDERR_FILENO) != 0 ? wrapped_if_long(line) : line + "\n";
  std::fputs(text.c_str(), stderr);  // fmt::print would throw when it fails
}

void print(const std::string& text) {
  std::cout << text << std::flush;
  if (!std::cout) throw write_error("cannot write to standard output");
}

}  // namespace bench_transfers::common
