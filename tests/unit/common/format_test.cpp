#include <gtest/gtest.h>

#include "src/common/text.hpp"

namespace bench_transfers::common::format_test {
namespace {

TEST(format, has_three_digits) {
  EXPECT_EQ(three_digits(0.5), "0.50");
  EXPECT_EQ(three_digits(9.994), "9.99");
  EXPECT_EQ(three_digits(9.996), "10.0");
  EXPECT_EQ(three_digits(99.96), "100");
  EXPECT_EQ(three_digits(12345), "12345");
  EXPECT_EQ(three_digits(-52.14), "-52.1");
}

TEST(format, shows_times_in_the_unit_that_suits_them) {
  EXPECT_EQ(time_text(7), "7.00 ns");
  EXPECT_EQ(time_text(999.6), "1.00 µs");
  EXPECT_EQ(time_text(33.6e6), "33.6 ms");
  EXPECT_EQ(time_text(1.5e9), "1.50 s");
  EXPECT_EQ(time_cell(24.94), "24.9 ns");
  EXPECT_EQ(time_cell(25'300), "25.30 µs");
  EXPECT_EQ(time_cell(64e6), "64.00 ms");
  EXPECT_EQ(time_cell(1'234'567'890), "1.23 s");
}

TEST(format, shows_rates_shares_and_counts) {
  EXPECT_EQ(decimals(0.456, 1), "0.5");
  EXPECT_EQ(rate_digits(0.0123), "0.012");
  EXPECT_EQ(rate_digits(123.4), "123");
  EXPECT_EQ(percent_text(0.1234), "12.3 %");
  EXPECT_EQ(slower_text(0.1234), "12.3 %");
  EXPECT_EQ(slower_text(1), "100.0 %");
  EXPECT_EQ(slower_text(1.513), "a factor of 2.51");
  EXPECT_EQ(slower_text(359.299), "a factor of 360");
  EXPECT_EQ(slower_text(0.05, 0.04, 0.06), "5.0 % [4.0 %, 6.0 %]");
  EXPECT_EQ(slower_text(1.5, 0.9, 2), "a factor of 2.50 [1.90, 3.00]");
  EXPECT_EQ(count_text(250), "250");
  EXPECT_EQ(count_text(5e8), "5e+08");
  EXPECT_EQ(counted(1, "row", "rows"), "1 row");
  EXPECT_EQ(counted(2, "row", "rows"), "2 rows");
}

}  // namespace
}  // namespace bench_transfers::common::format_test
