#include "src/machine/clocks.hpp"

#include "tests/unit/machine/fake_tree.hpp"

namespace bench_transfers::machine::clocks_test {
namespace {

using machine::clocks_of_run;
using machine::gpu_clocks;
using machine::throttle_reasons;

/// A GPU that reports all values.
gpu_clocks complete() {
  return {.sm_mhz = 1980,
          .sm_max_mhz = 1980,
          .memory_mhz = 3201,
          .memory_max_mhz = 3202,
          .temperature_c = 31,
          .throttled_by = throttle_reasons{},
          .pcie_replays = 7};
}

/// A run with the same values at its end as at its start.
clocks_of_run steady() {
  return {.start = {.gpu = complete(), .cpu_throttle_events = 100},
          .end = {.gpu = complete(), .cpu_throttle_events = 100}};
}

TEST(machine_clocks, json_of_both_ends) {
  auto run = steady();
  run.end.gpu->sm_mhz = 1755;
  run.end.gpu->temperature_c = 84;
  run.end.gpu->pcie_replays = 9;
  run.end.gpu->throttled_by = {"sw_thermal_slowdown"};
  run.end.cpu_throttle_events = 105;
  const json expected{{"gpu",
                       {{"sm_mhz", {1980, 1755}},
                        {"sm_max_mhz", 1980},
                        {"memory_mhz", {3201, 3201}},
                        {"memory_max_mhz", 3202},
                        {"temperature_c", {31, 84}},
                        {"throttle_reasons", {"sw_thermal_slowdown"}},
                        {"pcie_replays", 2}}},
                      {"cpu", {{"throttle_events", 5}}}};
  EXPECT_EQ(machine::to_json(run), expected);
}

TEST(machine_clocks, json_before_the_end) {
  const json expected{{"gpu",
                       {{"sm_mhz", {1980, nullptr}},
                        {"sm_max_mhz", 1980},
                        {"memory_mhz", {3201, nullptr}},
                        {"memory_max_mhz", 3202},
                        {"temperature_c", {31, nullptr}},
                        {"throttle_reasons", json::array()},
                        {"pcie_replays", nullptr}}},
                      {"cpu", nullptr}};
  EXPECT_EQ(machine::to_json({.start = steady().start}), expected);
}

TEST(machine_clocks, json_of_a_gpu_that_reports_nothing) {
  const clocks_of_run run{.start = {.gpu = gpu_clocks{}}, .end = {.gpu = gpu_clocks{}}};
  const json neither{nullptr, nullptr};
  const json expected{{"gpu",
                       {{"sm_mhz", neither},
                        {"sm_max_mhz", nullptr},
                        {"memory_mhz", neither},
                        {"memory_max_mhz", nullptr},
                        {"temperature_c", neither},
                        {"throttle_reasons", nullptr},
                        {"pcie_replays", nullptr}}},
                      {"cpu", nullptr}};
  EXPECT_EQ(machine::to_json(run), expected);
}

TEST(machine_clocks, json_without_a_gpu) {
  auto run = steady();
  run.start.gpu.reset();
  run.end.gpu.reset();
  run.end.cpu_throttle_events = 100;
  EXPECT_EQ(machine::to_json(run), json({{"gpu", nullptr}, {"cpu", {{"throttle_events", 0}}}}));
  EXPECT_EQ(machine::to_json({}), json({{"gpu", nullptr}, {"cpu", nullptr}}));
}

TEST(machine_clocks, json_of_a_gpu_that_reports_only_at_the_end) {
  auto run = steady();
  run.start.gpu.reset();
  const json gpu = machine::to_json(run)["gpu"];
  EXPECT_EQ(gpu["sm_mhz"], json({nullptr, 1980}));
  EXPECT_EQ(gpu["sm_max_mhz"], 1980);
  EXPECT_TRUE(gpu["pcie_replays"].is_null());
}

TEST(machine_clocks, reasons_of_all_times_are_combined) {
  auto run = steady();
  EXPECT_EQ(run.gpu_throttled_by(), throttle_reasons{});
  run.start.gpu->throttled_by = {"hw_slowdown"};
  run.seen_between = {"sw_power_cap", "hw_slowdown"};
  run.end.gpu->throttled_by = {"sync_boost"};
  EXPECT_EQ(run.gpu_throttled_by(),
            (throttle_reasons{"hw_slowdown", "sw_power_cap", "sync_boost"}));
  run.start.gpu->throttled_by.reset();
  run.end.gpu.reset();
  EXPECT_EQ(run.gpu_throttled_by(), (throttle_reasons{"hw_slowdown", "sw_power_cap"}));
  run.seen_between.reset();
  EXPECT_EQ(run.gpu_throttled_by(), std::nullopt);
}

TEST(machine_clocks, counters_that_fall_are_unknown) {
  auto run = steady();
  EXPECT_EQ(run.pcie_replays(), 0U);
  EXPECT_EQ(run.cpu_throttle_events(), 0U);
  run.end.gpu->pcie_replays = 6;
  run.end.cpu_throttle_events = 99;
  EXPECT_EQ(run.pcie_replays(), std::nullopt);
  EXPECT_EQ(run.cpu_throttle_events(), std::nullopt);
}

using machine_cpu_throttling = fake_tree;

TEST_F(machine_cpu_throttling, sums_up_the_counters_of_all_cpus) {
  const std::string base = "sys/devices/system/cpu/";
  write(base + "cpu0/thermal_throttle/core_throttle_count", "3\n");
  write(base + "cpu0/thermal_throttle/package_throttle_count", "20\n");
  write(base + "cpu0/thermal_throttle/core_throttle_max_time_ms", "1000\n");
  write(base + "cpu11/thermal_throttle/core_throttle_count", "400\n");
  write(base + "cpufreq/thermal_throttle/core_throttle_count", "5000\n");
  EXPECT_EQ(machine::cpu_throttle_events(root), 423U);
}

TEST_F(machine_cpu_throttling, zero_events_are_not_unknown) {
  write("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "0\n");
  EXPECT_EQ(machine::cpu_throttle_events(root), 0U);
}

TEST_F(machine_cpu_throttling, unknown_without_counters) {
  EXPECT_EQ(machine::cpu_throttle_events(root), std::nullopt);
  make_directory("sys/devices/system/cpu/cpu0/thermal_throttle");
  write("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "many\n");
  EXPECT_EQ(machine::cpu_throttle_events(root), std::nullopt);
}

}  // namespace
}  // namespace bench_transfers::machine::clocks_test
