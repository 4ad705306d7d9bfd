#include "src/common/nearest.hpp"

#include <gtest/gtest.h>

namespace bench_transfers::common {
namespace {

const std::set<std::string> names{"copy", "copy/pinned", "copy/pageable", "null", "zero_copy"};

TEST(nearest, finds_what_was_mistyped) {
  EXPECT_EQ(nearest("copy/pined", names), "copy/pinned");       // left out
  EXPECT_EQ(nearest("copy/pinnned", names), "copy/pinned");     // one too many
  EXPECT_EQ(nearest("copy/pagaeble", names), "copy/pageable");  // swapped
  EXPECT_EQ(nearest("coyp/pinned", names), "copy/pinned");
  EXPECT_EQ(nearest("cop", names), "copy");
  EXPECT_EQ(nearest("zerocopy", names), "zero_copy");
  EXPECT_EQ(nearest("null", names), "null");
}

TEST(nearest, finds_nothing_in_what_is_something_else) {
  for (const auto* const wanted : {"", "x", "nope", "memory", "copy/elsewhere"})
    EXPECT_EQ(nearest(wanted, names), "") << wanted;
  EXPECT_EQ(nearest("copy", {}), "");
}

}  // namespace
}  // namespace bench_transfers::common
