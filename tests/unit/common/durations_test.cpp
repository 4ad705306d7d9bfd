#include <gtest/gtest.h>

#include "src/common/program.hpp"
#include "src/common/quantities.hpp"

namespace bench_transfers::common {
namespace {

using namespace std::chrono_literals;

TEST(parse_duration, knows_units_and_takes_seconds_without_one) {
  EXPECT_EQ(parse_duration("--max-time", "90"), 90s);
  EXPECT_EQ(parse_duration("--max-time", "90s"), 90s);
  EXPECT_EQ(parse_duration("--max-time", "250ms"), 250ms);
  EXPECT_EQ(parse_duration("--max-time", "10min"), 10min);
  EXPECT_EQ(parse_duration("--max-time", "1.5h"), 90min);
  EXPECT_EQ(parse_duration("--max-time", "2d"), 48h);
  EXPECT_EQ(parse_duration("--max-time", "365d"), 24h * 365);
}

TEST(parse_duration, of_less_than_a_nanosecond_is_one) {
  EXPECT_EQ(parse_duration("--max-time", "0.0000000001"), 1ns);
}

TEST(parse_duration, refuses_the_rest) {
  for (const auto* const text : {"soon", "10m", "10 min", "1e3s", "0", "0s", "-1s", "nan", "inf",
                                 "1000000000h", "367d", "", "s", "+1s", " 1s"})
    EXPECT_THROW(static_cast<void>(parse_duration("--max-time", text)), usage_error) << text;
}

}  // namespace
}  // namespace bench_transfers::common
