#include "src/statistics/holm.hpp"

#include "tests/basics.hpp"

namespace bench_transfers::statistics::holm_test {
namespace {

TEST(holm, multiplies_the_smallest_by_all_and_the_next_by_one_less) {
  EXPECT_THAT(holm_adjusted({0.03, 0.01, 0.5}),
              ElementsAre(DoubleEq(0.06), DoubleEq(0.03), DoubleEq(0.5)));
}

TEST(holm, never_puts_a_larger_p_before_a_smaller_one) {
  EXPECT_THAT(holm_adjusted({0.01, 0.011, 0.012}),
              ElementsAre(DoubleEq(0.03), DoubleEq(0.03), DoubleEq(0.03)));
}

TEST(holm, stays_a_probability) { EXPECT_THAT(holm_adjusted({0.9, 0.8}), ElementsAre(1, 1)); }

TEST(holm, of_nothing_is_nothing) { EXPECT_THAT(holm_adjusted({}), IsEmpty()); }

}  // namespace
}  // namespace bench_transfers::statistics::holm_test
