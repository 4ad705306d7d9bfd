#include <gtest/gtest.h>

#include "src/common/text.hpp"

namespace bench_transfers::common::wrapped_test {
namespace {

TEST(wrapped, breaks_between_words_and_indents_further_lines) {
  EXPECT_EQ(wrapped("one two three four", 9), "one two\n  three\n  four\n");
  EXPECT_EQ(wrapped("one two three four", 9, 0), "one two\nthree\nfour\n");
  EXPECT_EQ(wrapped("one two", 7), "one two\n");
}

TEST(wrapped, leaves_long_words_whole) {
  EXPECT_EQ(wrapped("a incomprehensibly b", 6), "a\n  incomprehensibly\n  b\n");
}

TEST(wrapped_if_long, leaves_short_lines_as_they_are) {
  EXPECT_EQ(wrapped_if_long("cannot open /a  b"), "cannot open /a  b\n");
  const std::string word(60, 'x');
  EXPECT_EQ(wrapped_if_long(word + " " + word), word + "\n  " + word + "\n");
}

}  // namespace
}  // namespace bench_transfers::common::wrapped_test
