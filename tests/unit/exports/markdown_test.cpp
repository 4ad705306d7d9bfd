#include "src/exports/markdown.hpp"

#include <string>

#include "tests/basics.hpp"

namespace bench_transfers::exports::markdown_test {
namespace {

TEST(comment, writes_cells_by_their_column) {
  comment shown;
  shown.add({"<Title>",
             {{"code", cells::codes}, {"n", cells::numbers}, {"words"}},
             {{{"a|b", "1 ", "c\nd"}, "note"}, {{"part", "2", ""}, "", true}}});
  EXPECT_EQ(shown.text(),
            "**&#60;Title&#62;**\n\n"
            "| code | n | words |\n"
            "| --- | ---: | --- |\n"
            "| <code>a&#124;b</code><br>note | 1 | c; d |\n"
            "| part | 2 |  |\n\n");
}

TEST(comment, folds_tables) {
  comment shown;
  shown.add({"2 of them", {{"a"}}, {{{"1"}}}, true});
  EXPECT_EQ(shown.text(),
            "<details><summary>2 of them</summary>\n\n| a |\n| --- |\n| 1 |\n\n</details>\n\n");
}

TEST(comment, says_how_many_lines_have_no_room) {
  comment shown;
  section list{"Problems", std::vector<std::string>(9000, "a sentence")};
  shown.add(list);
  EXPECT_LT(shown.text().size(), 65'536U);
  EXPECT_THAT(shown.text(), HasSubstr("\n- a sentence\n\n… and "));
  EXPECT_THAT(shown.text(), EndsWith(" more, for which there is no room here.\n\n"));
}

TEST(comment, has_nothing_of_what_is_empty) {
  comment shown;
  shown.add(section{"Problems", {}});
  shown.add(table{"Title", {{"a"}}, {}, true});
  EXPECT_EQ(shown.text(), "");
}

}  // namespace
}  // namespace bench_transfers::exports::markdown_test
