#include "src/fleet/judge/advice.hpp"

#include <string>
#include <vector>

#include "tests/basics.hpp"

namespace bench_transfers::fleet::advice_test {
namespace {

std::vector<advice> advised(pattern pattern, benchmark_class kind, scope scope = scope::gpu,
                            const std::set<std::string>& warnings = {}) {
  sweep sweep;
  sweep.gpus.resize(2);
  sweep.gpus[1].warnings = warnings;
  finding found{scope, 1, "GPU-1", pattern, kind, {}};
  found.gpus = {1};
  return advice_for(sweep, found);
}

TEST(advice_for, what_is_slow_begins_with_what_explains_most) {
  using enum benchmark_class;
  EXPECT_EQ(advised(pattern::link_width, link).front(), advice::reseat);
  EXPECT_EQ(advised(pattern::link_generation, link, scope::node).front(), advice::slot_setting);
  EXPECT_EQ(advised(pattern::slow_together, link).front(), advice::shared_link);
  EXPECT_EQ(advised(pattern::slow_one_direction, link).front(), advice::acs_and_iommu);
  EXPECT_THAT(advised(pattern::slow, host), ElementsAre(advice::numa_binding, advice::host_memory));
  EXPECT_THAT(advised(pattern::slow, link), Contains(advice::exchange));
  EXPECT_THAT(advised(pattern::slow, link, scope::rack),
              AllOf(Contains(advice::driver_and_bios), Not(Contains(advice::exchange))));
  EXPECT_THAT(advised(pattern::wrong_data, other), ElementsAre(advice::take_out, advice::reseat));
}

TEST(advice_for, warnings_come_before_what_is_only_likely) {
  const auto first = [](benchmark_class kind, const char* warning) {
    return advised(pattern::slow, kind, scope::gpu, {warning}).front();
  };
  EXPECT_EQ(first(benchmark_class::link, "gpu_throttled"), advice::clocks);
  EXPECT_EQ(first(benchmark_class::link, "pcie_replays"), advice::reseat);
  EXPECT_EQ(first(benchmark_class::link, "numa_far"), advice::numa_binding);
  EXPECT_EQ(first(benchmark_class::latency, "other_load"), advice::other_users);
}

}  // namespace
}  // namespace bench_transfers::fleet::advice_test
