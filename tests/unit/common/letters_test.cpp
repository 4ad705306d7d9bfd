#include <gtest/gtest.h>

#include "src/common/text.hpp"

namespace bench_transfers::common::letters_test {
namespace {

TEST(letters, are_characters_and_not_bytes) {
  EXPECT_EQ(letters_in(""), 0U);
  EXPECT_EQ(letters_in("12.3 µs"), 7U);
  EXPECT_EQ(letters_in("→ 日本"), 4U);
}

TEST(letters, are_not_split) {
  EXPECT_EQ(first_letters("→ 日本", 3), "→ 日");
  EXPECT_EQ(first_letters("日", 0), "");
  EXPECT_EQ(first_letters("日", 2), "日");
}

}  // namespace
}  // namespace bench_transfers::common::letters_test
