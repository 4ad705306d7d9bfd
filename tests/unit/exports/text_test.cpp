#include "src/exports/text.hpp"

#include <string>

#include "tests/basics.hpp"

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
  EXPECT_THAT(of(33), ContainsRegex("\nx+~y+  100 %\n$"));
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

TEST(text_table, has_headings_above_the_columns_that_share_them) {
  table shown{"",
              {{"who", cells::codes},
               {"h2d", cells::numbers, 5, "GB/s"},
               {"d2h", cells::numbers, 5, "GB/s"},
               {"ns", cells::numbers, 6, "once"}},
              {{{"a", "1.0", "2.0", "3"}}}};
  EXPECT_EQ(text_of(shown),
            "         GB/s        once\n"
            "who    h2d    d2h      ns\n"
            "a      1.0    2.0       3\n");
  shown.columns[1].over = shown.columns[2].over = "a long heading";
  EXPECT_EQ(text_of(shown),
            "     a long heading    once\n"
            "who    h2d      d2h      ns\n"
            "a      1.0      2.0       3\n");
  for (auto& column : shown.columns) column.title = column.over = "";
  shown.between = 1;
  EXPECT_EQ(text_of(shown), "a   1.0   2.0      3\n");
}

TEST(text_table, continues_below_beside_its_first_column) {
  const table shown{"",
                    {{"of", cells::codes},
                     {"a", cells::numbers, 5},
                     {"b", cells::numbers, 5, "both"},
                     {"c", cells::numbers, 5, "both"}},
                    {{{"name", "1", "2", "3"}}}};
  EXPECT_EQ(text_of(shown, 25),
            "                 both\n"
            "of        a      b      c\n"
            "name      1      2      3\n");
  EXPECT_EQ(text_of(shown, 22),
            "of        a\n"
            "name      1\n"
            "\n"
            "          both\n"
            "of        b      c\n"
            "name      2      3\n");
}

TEST(text_table, has_notes_of_several_lines) {
  const table shown{"", {{"of"}}, {{{"a"}, "first  line\nsecond line that is long"}}};
  EXPECT_EQ(text_of(shown, 15), "of\na\n  first  line\n  second line\n    that is\n    long\n");
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

TEST(text_section, without_a_title_has_paragraphs) {
  EXPECT_EQ(text_of(section{"", {"a  b", "some long words", ""}}, 10),
            "a  b\nsome long\n  words\n\n");
}

TEST(text_finding, keeps_its_command_on_one_line) {
  EXPECT_EQ(text_of(finding{"code (cuda:0)", {"what was found", "it"}, "a long command"}, 12),
            "  code (cuda:0)\n    what was\n    found\n    it\n    $ a long command\n");
  EXPECT_EQ(text_of(finding{"code", {"it"}}), "  code\n    it\n");
}

TEST(text_answer, has_its_label_before_each_line) {
  answer shown{"(x) "};
  shown.say("some long words");
  shown.add({"", {{"a"}}, {{{"1"}}}});
  shown.add({"", {{"without rows"}}});
  EXPECT_EQ(text_of(shown, 14), "(x) some long\n(x)   words\n\n(x) a\n(x) 1\n");
}

}  // namespace
}  // namespace bench_transfers::exports::text_test
