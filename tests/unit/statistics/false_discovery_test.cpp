#include "src/statistics/false_discovery.hpp"

#include "tests/basics.hpp"

namespace bench_transfers::statistics::false_discovery_test {
namespace {

TEST(discovery_adjusted, agrees_with_p_adjust_of_r) {
  // R: p.adjust(c(0.01, 0.04, 0.03, 0.5), "BH")
  EXPECT_THAT(discovery_adjusted({0.01, 0.04, 0.03, 0.5}),
              ElementsAre(DoubleNear(0.04, 1e-12), DoubleNear(0.16 / 3, 1e-12),
                          DoubleNear(0.16 / 3, 1e-12), DoubleNear(0.5, 1e-12)));
}

TEST(discovery_adjusted, leaves_a_single_test_as_it_is) {
  EXPECT_THAT(discovery_adjusted({0.2}), ElementsAre(0.2));
  EXPECT_THAT(discovery_adjusted({}), IsEmpty());
}

}  // namespace
}  // namespace bench_transfers::statistics::false_discovery_test
