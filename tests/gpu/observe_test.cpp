#include "bench/record/observe.hpp"

#include <cstdio>
#include <memory>
#include <optional>

#include "tests/gpu/on_gpu.hpp"

namespace bench_transfers::bench::observe_test {
namespace {

class observe_on_gpu : public transfers::on_gpu {
 protected:
  void set_up() override {
    monitor = open_monitor(*gpu);
    if (!monitor) GTEST_SKIP() << "no monitor: built without nvml.h, or NVML cannot be used here";
  }

  std::unique_ptr<machine::gpu_monitor> monitor;
};

void expect_clock(const char* name, std::optional<unsigned> mhz, std::optional<unsigned> max) {
  // Unknown values pass.
  EXPECT_GT(mhz.value_or(1), 0U) << name;
  EXPECT_LE(mhz.value_or(0), max.value_or(100'000)) << name;
}

TEST_F(observe_on_gpu, clocks_are_plausible) {
  const auto observation = observe_under_load(*gpu, monitor.get());
  ASSERT_TRUE(observation.clocks.gpu);
  const auto& now = *observation.clocks.gpu;
  std::printf("%s\n", machine::to_json({.start = observation.clocks}).dump().c_str());
  expect_clock("SM", now.sm_mhz, now.sm_max_mhz);
  expect_clock("memory", now.memory_mhz, now.memory_max_mhz);
  if (now.temperature_c) {
    EXPECT_GE(*now.temperature_c, 1U);
    EXPECT_LE(*now.temperature_c, 120U);
  }
  // Every GPU reports these.
  EXPECT_TRUE(now.sm_mhz);
  EXPECT_TRUE(now.sm_max_mhz);
}

TEST_F(observe_on_gpu, counters_do_not_fall) {
  const auto start = observe_under_load(*gpu, monitor.get());
  const auto end = observe_under_load(*gpu, monitor.get());
  ASSERT_TRUE(start.clocks.gpu && end.clocks.gpu);
  const machine::clocks_of_run run{start.clocks, end.clocks, {}};
  EXPECT_EQ(run.pcie_replays().has_value(), start.clocks.gpu->pcie_replays.has_value());
  EXPECT_EQ(run.cpu_throttle_events().has_value(), start.clocks.cpu_throttle_events.has_value());
}

TEST_F(observe_on_gpu, a_second_monitor_can_be_opened_and_closed_meanwhile) {
  EXPECT_TRUE(open_monitor(*gpu)->read().sm_mhz);
  EXPECT_TRUE(monitor->read().sm_mhz);
}

}  // namespace
}  // namespace bench_transfers::bench::observe_test
