
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "src/common/text.hpp"
#include "tests/basics.hpp"

namespace bench_transfers::common::natural_order_test {
namespace {

TEST(natural_order, is_by_bytes_and_numbers) {
  const std::vector<std::string> sorted{
      "copy/pinned/d2h/4B",          "copy/pinned/d2h/1KiB",        "copy/pinned/d2h/64KiB",
      "copy/pinned/d2h/64KiB/cold",  "copy/pinned/d2h/1MiB@cuda:0", "copy/pinned/d2h/1MiB@cuda:10",
      "copy/pinned/d2h/4MiB@cuda:2", "copy/pinned/d2h/1GiB",        "copy_async/pinned/h2d/4B",
      "launch/2_arguments",          "launch/16_arguments",         "scatter/512B_blocks/h2d",
      "scatter/4KiB_blocks/h2d",     "scatter/64KiB_blocks/d2h",    "scatter/64KiB_blocks/h2d"};
  auto shuffled = sorted;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(3));
  std::ranges::sort(shuffled, natural_order());
  EXPECT_EQ(shuffled, sorted);
}

TEST(natural_order, is_one_order_of_all_names) {
  const std::vector<std::string> names{"",       "/",       "a",      "a/",   "a/b",   "4KiB",
                                       "1MiB",   "3x",      "4",      "04",   "4KiB@", "4kib",
                                       "1MiB/",  "//",      "1024B",  "1KiB", "1KiBs", "a//b",
                                       "1KiB_a", "1024B_a", "1KiB@_", "_1KiB"};
  const natural_order before;
  for (const auto& a : names)
    for (const auto& b : names) {
      EXPECT_EQ(before(a, b) + before(b, a), a == b ? 0 : 1) << a << ' ' << b;
      for (const auto& c : names)
        EXPECT_TRUE(before(a, c) || !before(a, b) || !before(b, c)) << a << ' ' << b << ' ' << c;
    }
}

TEST(natural_order, has_nothing_before_itself) {
  for (const auto* const name : {"", "a", "a/4KiB", "a/4KiB/"})
    EXPECT_FALSE(natural_order()(name, name)) << name;
  EXPECT_TRUE(natural_order()("a", "a/b"));
  EXPECT_FALSE(natural_order()("a/b", "a"));
}

}  // namespace
}  // namespace bench_transfers::common::natural_order_test
