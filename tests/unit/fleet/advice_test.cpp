#include "src/fleet/judge/advice.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bench_transfers::fleet::advice_test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;

std::vector<advice> advised(pattern pattern, benchmark_class kind, scope scope,
                            const std::set<std::string>& warnings = {}) {
  sweep sweep;
  sweep.gpus.resize(2);
  sweep.gpus[1].warnings = warnings;
  finding found{scope, 1, "GPU-1", pattern, kind, {}};
  found.gpus = {1};
  return advice_for(sweep, found);
}

TEST(advice_for, lower_links_is_to_reseat_one_card_and_to_look_at_the_settings_of_many) {
  EXPECT_EQ(advised(pattern::link_width, benchmark_class::link, scope::gpu).front(),
            advice::reseat);
  EXPECT_EQ(advised(pattern::link_generation, benchmark_class::link, scope::node).front(),
            advice::slot_setting);
}

TEST(advice_for, slowness_comes_from_what_is_slow) {
  EXPECT_EQ(advised(pattern::slow_together, benchmark_class::link, scope::gpu).front(),
            advice::shared_link);
  EXPECT_EQ(advised(pattern::slow_one_direction, benchmark_class::link, scope::gpu).front(),
            advice::acs_and_iommu);
  EXPECT_THAT(advised(pattern::slow, benchmark_class::host, scope::gpu),
              ElementsAre(advice::numa_binding, advice::host_memory));
  EXPECT_THAT(advised(pattern::slow, benchmark_class::link, scope::gpu),
              Contains(advice::exchange));
  EXPECT_THAT(advised(pattern::slow, benchmark_class::link, scope::rack),
              AllOf(Contains(advice::driver_and_bios), Not(Contains(advice::exchange))));
  EXPECT_THAT(advised(pattern::wrong_data, benchmark_class::other, scope::gpu),
              ElementsAre(advice::take_out, advice::reseat));
}

TEST(advice_for, warnings_come_before_what_is_only_likely) {
  EXPECT_EQ(advised(pattern::slow, benchmark_class::link, scope::gpu, {"gpu_throttled"}).front(),
            advice::clocks);
  EXPECT_EQ(advised(pattern::slow, benchmark_class::link, scope::gpu, {"pcie_replays"}).front(),
            advice::reseat);
  EXPECT_EQ(advised(pattern::slow, benchmark_class::link, scope::gpu, {"numa_far"}).front(),
            advice::numa_binding);
  EXPECT_EQ(advised(pattern::slow, benchmark_class::latency, scope::gpu, {"other_load"}).front(),
            advice::other_users);
}

}  // namespace
}  // namespace bench_transfers::fleet::advice_test
