#include "src/transfers/core/cpu_quota.hpp"

#include <gtest/gtest.h>

namespace transfers::detail::cpu_quota_test {
namespace {

TEST(processors_of_quota, are_rounded_up) {
  EXPECT_EQ(processors_of_quota("200000 100000"), 2U);
  EXPECT_EQ(processors_of_quota("150000 100000\n"), 2U);
  EXPECT_EQ(processors_of_quota("50000 100000"), 1U);
  EXPECT_EQ(processors_of_quota("6400000 100000"), 64U);
}

TEST(processors_of_quota, are_not_limited_where_the_file_says_so_or_is_another_one) {
  for (const auto* text : {"max 100000", "", "100000", "100000 ", "0 100000", "100000 0", "a b"})
    EXPECT_EQ(processors_of_quota(text), std::nullopt) << text;
}

}  // namespace
}  // namespace transfers::detail::cpu_quota_test
