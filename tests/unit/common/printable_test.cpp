#include <gtest/gtest.h>

#include <string>

#include "src/common/text.hpp"

namespace bench_transfers::common::printable_test {
namespace {

TEST(printable, ordinary_text_stays_as_it_is) {
  for (const std::string text :
       {"", "copy/pinned/h2d/1MiB", "BM_sort<std::vector<int>>/8 \"x\" \\n", "µs, é, €, 漢, 😀"})
    EXPECT_EQ(printable(text), text);
}

TEST(printable, controls_are_shown_instead_of_obeyed) {
  EXPECT_EQ(printable("a\nb\r\tc"), "a\\nb\\r\\tc");
  EXPECT_EQ(printable(std::string("\0\x1b[31m\x7f", 7)), "\\x00\\x1b[31m\\x7f");
  EXPECT_EQ(printable("\xc2\x85|\xc2\x9b|\xc2\xa0"), "\\x85|\\x9b|\xc2\xa0");  // U+0085, 9B, A0
  EXPECT_EQ(printable("\xe2\x80\xa8\xe2\x80\xa9"), "\\u2028\\u2029");
  EXPECT_EQ(printable("\xe2\x80\xae\xe2\x81\xa6\xef\xbb\xbf"), "\\u202e\\u2066\\ufeff");
}

TEST(printable, bytes_that_are_not_utf8_are_shown_one_by_one) {
  EXPECT_EQ(printable("caf\xe9"), "caf\\xe9");
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82");                    // cut off
  EXPECT_EQ(printable("\xc0\x8a"), "\\xc0\\x8a");                    // an overlong newline
  EXPECT_EQ(printable("\xe0\x80\x8a"), "\\xe0\\x80\\x8a");           // overlong, too
  EXPECT_EQ(printable("\xf0\x80\x80\x8a"), "\\xf0\\x80\\x80\\x8a");  // overlong, too
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // above U+10FFFF
  EXPECT_EQ(printable("\xe2\n\xac"), "\\xe2\\n\\xac");
}

TEST(printable, messages_are_shortened_between_characters) {
  const std::string long_text(240, 'x');
  EXPECT_EQ(printable_in_short(long_text), long_text);
  EXPECT_EQ(printable_in_short(long_text + "y"), long_text + "…");
  EXPECT_EQ(printable_in_short(std::string(239, 'x') + "€uro"), std::string(239, 'x') + "…");
  EXPECT_LE(printable_in_short(std::string(1'000'000, '\n')).size(), 1000U);
}

}  // namespace
}  // namespace bench_transfers::common::printable_test
