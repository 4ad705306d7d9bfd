#include <gtest/gtest.h>

#include "src/common/quantities.hpp"

namespace bench_transfers::common::timestamp_test {
namespace {

using namespace std::chrono;

TEST(timestamp, utc_and_offsets_are_one_time) {
  const auto expected = sys_days(2026y / November / 21) + 14h + 1min + 39s;
  EXPECT_EQ(parse_timestamp("2026-11-21T14:01:39Z"), expected);
  EXPECT_EQ(parse_timestamp("2026-11-21T14:01:39+00:00"), expected);
  EXPECT_EQ(parse_timestamp("2026-11-21T15:01:39+01:00"), expected);
  EXPECT_EQ(parse_timestamp("2026-11-21T10:31:39-03:30"), expected);
  EXPECT_EQ(parse_timestamp("2026-11-22T00:01:39+10:00"), expected);
  EXPECT_EQ(parse_timestamp("1970-01-01T00:00:00Z"), sys_seconds(0s));
  EXPECT_EQ(parse_timestamp("2024-02-29T23:59:60Z"), sys_days(2024y / March / 1));
}

TEST(timestamp, text_is_read_again) {
  const sys_seconds time = sys_days(2026y / November / 21) + 14h + 1min + 39s;
  EXPECT_EQ(timestamp_text(time), "2026-11-21T14:01:39Z");
  EXPECT_EQ(parse_timestamp(timestamp_text(time)), time);
  for (const auto* text : {"1013-11-22T10:00:00Z", "9999-12-31T23:59:59Z"})
    EXPECT_EQ(timestamp_text(*parse_timestamp(text)), text);
}

TEST(timestamp, anything_else_is_none) {
  for (const char* text : {"",
                           "Z",
                           "2026-11-21",
                           "2026-11-21 14:01:39",
                           "2026-11-21T14:01:39",
                           "2026-11-21T14:01:39.5Z",
                           "2026-11-21T14:01:39z",
                           "2026-11-21T14:01:39+0100",
                           "2026-11-21T14:01:39+01:0",
                           "2026-11-21T14:01:39 01:00",
                           "2026-11-21T14:01:39+24:00",
                           "2026-11-21T14:01:39+01:60",
                           "2026-13-21T14:01:39Z",
                           "2026-00-21T14:01:39Z",
                           "2026-02-29T14:01:39Z",
                           "2026-11-00T14:01:39Z",
                           "2026-11-21T24:01:39Z",
                           "2026-11-21T14:60:39Z",
                           "2026-11-21T14:01:61Z",
                           "-026-11-21T14:01:39Z",
                           "11/21/26 14:01:39",
                           "2026-11-21T14:01:39Z and more"})
    EXPECT_EQ(parse_timestamp(text), std::nullopt) << text;
}

}  // namespace
}  // namespace bench_transfers::common::timestamp_test
