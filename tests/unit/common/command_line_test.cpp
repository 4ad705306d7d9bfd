#include "src/common/command_line.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

namespace bench_transfers::common::command_line_test {
namespace {

/// The message of the usage_error; empty if there is none.
std::string complaint(const char* argument) {
  const std::array arguments{"program", argument, "file"};
  try {
    require_values(arguments);
  } catch (const usage_error& error) {
    return error.what();
  }
  return "";
}

TEST(require_values, rejects_an_option_that_ends_with_an_equals_sign) {
  EXPECT_EQ(complaint("--out="), "--out needs a value");
}

TEST(require_values, accepts_options_with_and_without_a_value) {
  for (const auto* const argument : {"--out=file", "--out", "--filter=a=", "out=", "=", ""})
    EXPECT_EQ(complaint(argument), "") << argument;
}

TEST(unknown_argument, suggests_what_is_called_alike) {
  const std::set<std::string> known{"--sizes", "--list", "advise"};
  const auto complaint = [&](const char* argument) {
    return std::string(unknown_argument(argument, known, "--help").what());
  };
  EXPECT_EQ(complaint("--size=1MiB"),
            "unknown argument '--size=1MiB': did you mean --sizes? (see --help)");
  EXPECT_EQ(complaint("list"), "unknown argument 'list': did you mean --list? (see --help)");
  EXPECT_EQ(complaint("advice"), "unknown argument 'advice': did you mean advise? (see --help)");
  EXPECT_EQ(complaint("run"),
            "unknown argument 'run': did you mean bench_transfers without a command? (see --help)");
  EXPECT_EQ(complaint("pin"),
            "unknown argument 'pin': did you mean gate_transfers pin? (see --help)");
  EXPECT_EQ(complaint("nothing"), "unknown argument 'nothing' (see --help)");
}

TEST(unknown_argument_of, a_command_suggests_no_other_command) {
  const std::set<std::string> known{"--device", "--measure"};
  const auto complaint = [&](const char* argument) {
    return std::string(unknown_argument_of("doctor", argument, known).what());
  };
  EXPECT_EQ(complaint("run"), "unknown argument 'run' (see doctor --help)");
  EXPECT_EQ(complaint("measure"),
            "unknown argument 'measure': did you mean --measure? (see doctor --help)");
  EXPECT_EQ(complaint("--devices=all"),
            "unknown argument '--devices=all': did you mean --device? (see doctor --help)");
}

TEST(first_line, leaves_out_the_lines_that_follow) {
  EXPECT_EQ(first_line("one\ntwo\n"), "one");
  EXPECT_EQ(first_line("one"), "one");
  EXPECT_EQ(first_line(""), "");
}

}  // namespace
}  // namespace bench_transfers::common::command_line_test
