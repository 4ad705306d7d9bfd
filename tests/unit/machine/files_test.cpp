#include "src/machine/files.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/machine/fake_tree.hpp"

namespace bench_transfers::machine::files_test {
namespace {

using machine_files = fake_tree;

TEST_F(machine_files, first_line_comes_trimmed) {
  write("a", "  performance \t\r\nsecond\n");
  EXPECT_EQ(machine::read_line(root / "a"), "performance");
}

TEST_F(machine_files, no_line_means_nullopt) {
  write("empty", "");
  write("blank", " \t\nsecond line does not count\n");
  make_directory("directory");
  EXPECT_EQ(machine::read_line(root / "empty"), std::nullopt);
  EXPECT_EQ(machine::read_line(root / "blank"), std::nullopt);
  EXPECT_EQ(machine::read_line(root / "directory"), std::nullopt);
  EXPECT_EQ(machine::read_line(root / "missing"), std::nullopt);
  EXPECT_EQ(machine::read_lines(root / "directory"), std::nullopt);
  EXPECT_EQ(machine::read_lines(root / "missing"), std::nullopt);
}

TEST_F(machine_files, a_field_needs_the_whole_key_and_a_value) {
  write("f", "cpu family\t: 6\ncpu\t: POWER9\nempty:\nlast: a: b \n");
  EXPECT_EQ(machine::read_field(root / "f", "cpu", ':'), "POWER9");
  EXPECT_EQ(machine::read_field(root / "f", "last", ':'), "a: b");
  EXPECT_EQ(machine::read_field(root / "f", "empty", ':'), std::nullopt);
  EXPECT_EQ(machine::read_field(root / "f", "fam", ':'), std::nullopt);
  EXPECT_EQ(machine::read_field(root / "missing", "cpu", ':'), std::nullopt);
}

TEST(machine_text, words_are_split_at_any_white_space) {
  const std::vector<std::string_view> expected{"a", "b", "c"};
  EXPECT_EQ(machine::words("  a\tb \n c"), expected);
  EXPECT_TRUE(machine::words(" \n").empty());
  EXPECT_TRUE(machine::words("").empty());
}

TEST(machine_text, numbers_must_fill_the_text) {
  EXPECT_EQ(machine::parse_count("0"), 0U);
  EXPECT_EQ(machine::parse_count("18446744073709551615"), 18446744073709551615U);
  for (const char* text : {"", "-1", "+1", "1 ", "0x10", "12a", "18446744073709551616"}) {
    EXPECT_EQ(machine::parse_count(text), std::nullopt) << '\'' << text << '\'';
  }
  EXPECT_EQ(machine::parse_real("32.0"), 32.0);
  for (const char* text : {"", "nan", "inf", "1.5x", "Unknown"}) {
    EXPECT_EQ(machine::parse_real(text), std::nullopt) << '\'' << text << '\'';
  }
}

TEST_F(machine_files, names_are_sorted_and_a_file_is_no_directory) {
  write("d/b", "x");
  write("d/a", "x");
  make_directory("none");
  EXPECT_EQ(machine::names_in(root / "d"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(machine::names_in(root / "none"), std::vector<std::string>{});
  EXPECT_EQ(machine::names_in(root / "d/a"), std::nullopt);
  EXPECT_EQ(machine::names_in(root / "missing"), std::nullopt);
}

TEST(machine_text, text_that_is_not_utf8_can_still_be_written_as_json) {
  const json value = machine::or_null(std::optional<std::string>("caf\xe9"));
  EXPECT_EQ(value.dump(), "\"caf\xef\xbf\xbd\"");
  EXPECT_EQ(machine::or_null(std::optional<std::string>("caf\xc3\xa9")), "caf\xc3\xa9");
}

}  // namespace
}  // namespace bench_transfers::machine::files_test
