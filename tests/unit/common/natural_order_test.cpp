#include "src/common/natural_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace bench_transfers::common::natural_order_test {
namespace {

TEST(natural_order, is_by_bytes_and_numbers) {
  const std::vector<std::string> sorted{
      "copy/pinned/d2h/4B",          "copy/pinned/d2h/1KiB",        "copy/pinned/d2h/64KiB",
      "copy/pinned/d2h/64KiB/cold",  "copy/pinned/d2h/1MiB@cuda:0", "copy/pinned/d2h/1MiB@cuda:10",
      "copy/pinned/d2h/4MiB@cuda:2", "copy/pinned/d2h/1GiB",        "copy_async/pinned/h2d/4B",
      "launch/2_arguments",          "launch/16_arguments"};
  auto shuffled = sorted;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(3));
  std::ranges::sort(shuffled, natural_order());
  EXPECT_EQ(shuffled, sorted);
}

TEST(natural_order, has_nothing_before_itself) {
  for (const auto* const name : {"", "a", "a/4KiB", "a/4KiB/"})
    EXPECT_FALSE(natural_order()(name, name)) << name;
  EXPECT_TRUE(natural_order()("a", "a/b"));
  EXPECT_FALSE(natural_order()("a/b", "a"));
}

}  // namespace
}  // namespace bench_transfers::common::natural_order_test
