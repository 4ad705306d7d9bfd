#include <gtest/gtest.h>

#include "src/common/text.hpp"

namespace bench_transfers::common::nearest_test {
namespace {

const std::set<std::string> names{"copy", "copy/pinned", "copy/pageable", "null", "zero_copy"};

TEST(nearest, finds_the_name_that_was_mistyped) {
  EXPECT_EQ(nearest("copy/pined", names), "copy/pinned");       // a letter is missing
  EXPECT_EQ(nearest("copy/pinnned", names), "copy/pinned");     // a letter too many
  EXPECT_EQ(nearest("copy/pagaeble", names), "copy/pageable");  // letters are swapped
  EXPECT_EQ(nearest("coyp/pinned", names), "copy/pinned");
  EXPECT_EQ(nearest("cop", names), "copy");
  EXPECT_EQ(nearest("zerocopy", names), "zero_copy");
  EXPECT_EQ(nearest("null", names), "null");
}

TEST(nearest, finds_nothing_for_other_words) {
  for (const auto* const typed : {"", "x", "nope", "memory", "copy/elsewhere"})
    EXPECT_EQ(nearest(typed, names), "") << typed;
  EXPECT_EQ(nearest("copy", {}), "");
}

}  // namespace
}  // namespace bench_transfers::common::nearest_test
