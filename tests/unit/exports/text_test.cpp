#include "src/exports/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace bench_transfers::exports::text_test {
namespace {

TEST(text_table, has_two_spaces_between_columns) {
  const table shown{
      "", {{"GPU"}, {"h2d", cells::numbers}}, {{{"a", "+1234567.00 %"}}, {{"long name", "-"}}}};
  EXPECT_EQ(text_of(shown),
            "GPU                  h2d\n"
            "a          +1234567.00 %\n"
            "long name              -\n");
}

TEST(text_table, has_columns_of_the_least_width) {
  const table shown{
      "", {{"a", cells::words, 4}, {"b", cells::numbers, 3}, {""}}, {{{"1", "2", ""}}}};
  EXPECT_EQ(text_of(shown), "a       b\n1       2\n");
}

TEST(text_table, cuts_words_where_the_terminal_is_too_narrow) {
  const std::string begin(30, 'x'), end(30, 'y');
  const auto of = [&](std::size_t columns) {
    return text_of({"", {{"b"}, {"c", cells::numbers}}, {{{begin + end, "100 %"}}}}, columns);
  };
  EXPECT_THAT(of(33), testing::ContainsRegex("\nx+~y+  100 %\n$"));
  EXPECT_EQ(of(33).size(), 2U * 34);
  // Numbers are not cut, and words keep some letters.
  EXPECT_EQ(of(10).size(), 2 * (least_letters + 2 + 5 + 1));
}

TEST(text_table, gives_a_code_that_is_too_long_a_line_of_its_own) {
  const table shown{"",
                    {{"of"}, {"code", cells::codes, 6}, {"c", cells::numbers}},
                    {{{"a", "longer than that", "1"}}, {{"a", "long", "2"}}}};
  EXPECT_EQ(text_of(shown, 16),
            "of  code    c\n"
            "a   longer than that\n"
            "            1\n"
            "a   long    2\n");
}

TEST(text_table, has_its_title_in_place_of_those_of_its_names) {
  table shown{
      "TITLE", {{"of"}, {"code", cells::codes}, {"c", cells::numbers}}, {{{"a", "b", "1"}}}};
  EXPECT_EQ(text_of(shown), "TITLE     c\na   b     1\n");
  shown.title = "A LONG TITLE";
  EXPECT_EQ(text_of(shown), "A LONG TITLE\n          c\na   b     1\n");
}

TEST(text_table, indents_parts_and_notes) {
  const table shown{"",
                    {{"", cells::codes}, {"c", cells::numbers}},
                    {{{"a", "1"}, "a note"}, {{"part", "2"}, "", true}}};
  EXPECT_EQ(text_of(shown), "        c\na       1\n  a note\n  part  2\n");
}

TEST(text_table, counts_letters_and_not_bytes) {
  const table shown{"", {{"a"}, {"b"}}, {{{"\u00e4\u00e4", "1"}}, {{"xxx", "2"}}}};
  EXPECT_EQ(text_of(shown), "a    b\n\u00e4\u00e4   1\nxxx  2\n");
  std::string umlauts;
  for (int i = 0; i < 30; ++i) umlauts += "\u00e4";
  EXPECT_EQ(text_of({"", {{"a"}}, {{{umlauts}}}}, 12).size(), 2U + 2 * 11 + 1 + 1);
}

TEST(text_section, is_nothing_without_sentences) {
  EXPECT_EQ(text_of(section{"Problems", {"a", "b"}}), "Problems:\n  a\n  b\n");
  EXPECT_EQ(text_of(section{"Problems", {}}), "");
}

}  // namespace
}  // namespace bench_transfers::exports::text_test
