#include <gtest/gtest.h>

#include "src/common/message.hpp"

namespace bench_transfers::common::in_parts_test {
namespace {

TEST(in_parts_text, is_of_runs_that_were_resumed) {
  EXPECT_EQ(in_parts_text(3), "measured in 3 parts");
  EXPECT_EQ(in_parts_text(2), "measured in 2 parts");
  EXPECT_EQ(in_parts_text(1), std::nullopt);
}

}  // namespace
}  // namespace bench_transfers::common::in_parts_test
