#include <gtest/gtest.h>

#include <array>
#include <string>

#include "src/common/program.hpp"
#include "tests/unit/common/complaint.hpp"

namespace bench_transfers::common::command_line_test {
namespace {

/// The message of the usage_error; empty if there is none.
std::string complaint(const char* argument) {
  const std::array arguments{"program", argument, "file"};
  return common::complaint_of<usage_error>([&] { return require_values(arguments); });
}

TEST(require_values, accepts_options_with_and_without_a_value) {
  for (const auto* const argument : {"--out=file", "--out", "--filter=a=", "out=", "=", ""})
    EXPECT_EQ(complaint(argument), "") << argument;
}

TEST(first_line, leaves_out_the_lines_that_follow) {
  EXPECT_EQ(first_line("one\ntwo\n"), "one");
  EXPECT_EQ(first_line("one"), "one");
  EXPECT_EQ(first_line(""), "");
}

}  // namespace
}  // namespace bench_transfers::common::command_line_test
