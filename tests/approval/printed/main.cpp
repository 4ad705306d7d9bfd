// Prints what the programs would print of made-up answers, and summaries of any result files, to be
// approved by tests/approval: recorded runs are of healthy machines, and show little of it.
#include <fmt/format.h>

#include <span>
#include <string>

#include "src/common/files.hpp"
#include "src/result_file/reader.hpp"
#include "src/result_file/summary/summary.hpp"
#include "tests/approval/printed/printed.hpp"

namespace bench_transfers::printed {
namespace {

/// "gate", "fleet", "doctor", "summary FILE" or "brief FILE".
std::string text_of(std::span<char*> arguments) {
  const std::string what = arguments[1];
  if (what == "gate") return printed_gate::answers();
  if (what == "fleet") return printed_fleet::answers();
  if (what == "doctor") return printed_doctor::answers();
  const auto shown = what == "brief" ? result_file::detail::brief : result_file::detail::all;
  const auto* const file = arguments[2];
  return result_file::summary(result_file::read_text(common::read_text(file), file),
                              common::terminal_columns, shown);
}

}  // namespace
}  // namespace bench_transfers::printed

int main(int argc, char** argv) {
  fmt::print("{}", bench_transfers::printed::text_of({argv, static_cast<std::size_t>(argc)}));
}
