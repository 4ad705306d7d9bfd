#include "src/common/number.hpp"

#include <cstdint>

#include "tests/basics.hpp"

namespace bench_transfers::common::number_test {
namespace {

TEST(number_from, takes_the_whole_text_or_nothing) {
  EXPECT_THAT(number_from<int>("-12"), Optional(-12));
  EXPECT_THAT(number_from<double>("1.5e3"), Optional(1500.0));
  EXPECT_THAT(number_from<unsigned>("ff", 16), Optional(255U));
  for (const auto* text : {"", " 1", "1 ", "1.5", "+1", "0x1", "one"})
    EXPECT_EQ(number_from<int>(text), std::nullopt) << text;
}

TEST(number_from, takes_what_the_type_can_hold) {
  EXPECT_THAT(number_from<std::uint8_t>("255"), Optional(255));
  for (const auto* text : {"256", "-1"})
    EXPECT_EQ(number_from<std::uint8_t>(text), std::nullopt) << text;
}

}  // namespace
}  // namespace bench_transfers::common::number_test
