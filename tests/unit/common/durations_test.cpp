#include "src/common/durations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/common/command_line.hpp"

namespace bench_transfers::common {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

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

std::string why_not(const char* text) {
  try {
    static_cast<void>(parse_duration("--max-time", text));
  } catch (const usage_error& error) {
    return error.what();
  }
  return "it is accepted";
}

TEST(parse_duration, refuses_the_rest_and_names_the_option) {
  EXPECT_EQ(why_not("soon"),
            "bad --max-time 'soon': it is no number with a unit (examples: 90s, 10min, 1.5h)");
  EXPECT_THAT(why_not("10m"), HasSubstr("the units are ms, s, min, h and d"));
  EXPECT_THAT(why_not("10 min"), HasSubstr("the units are"));
  EXPECT_THAT(why_not("1e3s"), HasSubstr("the units are"));
  for (const auto* const text : {"0", "0s", "-1s", "nan"})
    EXPECT_THAT(why_not(text), HasSubstr("it is not above zero")) << text;
  for (const auto* const text : {"inf", "1000000000h", "367d"})
    EXPECT_THAT(why_not(text), HasSubstr("it is more than a year")) << text;
  for (const auto* const text : {"", "s", "+1s", " 1s"})
    EXPECT_THAT(why_not(text), HasSubstr("it is no number with a unit")) << text;
}

}  // namespace
}  // namespace bench_transfers::common
