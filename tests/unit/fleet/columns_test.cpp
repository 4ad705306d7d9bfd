#include "src/fleet/report/columns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace bench_transfers::fleet::columns_test {
namespace {

using testing::ElementsAre;

TEST(aligned_columns, are_two_spaces_apart) {
  EXPECT_THAT(aligned({{"GPU", {"a", "long name"}}, {"h2d", {"+1234567.00 %", "-"}, true}}, 100),
              ElementsAre("GPU                  h2d", "a          +1234567.00 %",
                          "long name              -"));
}

TEST(aligned_columns, lose_the_middle_of_names_where_the_terminal_is_too_narrow) {
  const std::string begin(30, 'x'), end(30, 'y');
  const auto lines = aligned({{"a", {"short"}}, {"b", {begin + end}}, {"c", {"100 %"}, true}}, 40);
  EXPECT_EQ(lines[1].size(), 40U);
  EXPECT_THAT(lines[1], testing::ContainsRegex("short  x+~y+  100 %$"));
  // Numbers are not cut, and names keep some letters.
  const auto narrow = aligned({{"b", {begin + end}}, {"c", {"100 %"}, true}}, 10);
  EXPECT_EQ(narrow[1].size(), least_letters + 2 + 5);
}

TEST(aligned_columns, count_letters_and_not_bytes) {
  const auto lines = aligned({{"a", {"\u00e4\u00e4", "xxx"}}, {"b", {"1", "2"}}}, 100);
  EXPECT_THAT(lines, ElementsAre("a    b", "\u00e4\u00e4   1", "xxx  2"));
  std::string umlauts;
  for (int i = 0; i < 30; ++i) umlauts += "\u00e4";
  std::string cut = aligned({{"a", {umlauts}}}, 12)[1];
  EXPECT_EQ(cut.size(), 2U * 11 + 1);
}

}  // namespace
}  // namespace bench_transfers::fleet::columns_test
