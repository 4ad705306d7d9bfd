#include <optional>
#include <string>
#include <vector>

#include "src/machine/trust.hpp"
#include "tests/unit/machine/fake_tree.hpp"

namespace bench_transfers::machine::doubts_test {
namespace {

/// A computer without anything to doubt.
json spotless() {
  return {{"cpu", {{"logical_cpus_online", 8}, {"governor", "performance"}}},
          {"memory", {{"memlock_limit_bytes", "unlimited"}, {"memlock_limit_applies", true}}},
          {"process", {{"numa_node", 0}}},
          {"virtualisation", {{"hypervisor", nullptr}}},
          {"load_average_1min", 0.5}};
}

constexpr machine::pcie_link full_link{5, 16, 5, 16};

/// Expects one doubt with this code, all of `parts` in its text and at least one value.
void expect_doubt(const std::string& code, const std::vector<common::message>& doubts,
                  const std::vector<std::string>& parts) {
  ASSERT_EQ(doubts.size(), 1U) << common::to_json(doubts);
  EXPECT_EQ(doubts[0].code, code);
  EXPECT_FALSE(doubts[0].data.empty());
  for (const std::string& part : parts) {
    EXPECT_NE(doubts[0].text.find(part), std::string::npos)
        << part << " not in: " << doubts[0].text;
  }
  EXPECT_EQ(doubts[0].text.find('\n'), std::string::npos);
}

TEST(machine_doubts, none_about_a_spotless_computer) {
  EXPECT_EQ(machine::doubts(spotless(), full_link, 0), std::vector<common::message>{});
}

TEST(machine_doubts, none_about_unknown_values) {
  const std::vector<common::message> none;
  EXPECT_EQ(machine::doubts(json::object(), std::nullopt, std::nullopt), none);
  EXPECT_EQ(machine::doubts(json(nullptr), std::nullopt, 1), none);
  EXPECT_EQ(machine::doubts(json({{"cpu", nullptr}, {"memory", 3}}), std::nullopt, 1), none);
}

TEST(machine_doubts, link_below_the_maximum_of_the_device) {
  expect_doubt("link_below_maximum",
               machine::doubts(spotless(), machine::pcie_link{3, 8, 5, 16}, 0),
               {"link runs at PCIe 3.0 x8, the device can do 5.0 x16", "7.9", "63.0"});
  expect_doubt("link_below_maximum",
               machine::doubts(spotless(), machine::pcie_link{5, 8, 5, 16}, 0),
               {"PCIe 5.0 x8", "31.5", "63.0"});
  expect_doubt("link_below_maximum",
               machine::doubts(spotless(), machine::pcie_link{4, 16, 5, 16}, 0),
               {"PCIe 4.0 x16", "slot offers no more"});
}

TEST(machine_doubts, governor_other_than_performance) {
  json described = spotless();
  described["cpu"]["governor"] = "powersave";
  expect_doubt("cpu_governor", machine::doubts(described, full_link, 0),
               {"CPU governor is 'powersave'"});
  described["cpu"]["governor"] = "performance, schedutil";
  expect_doubt("cpu_governor", machine::doubts(described, full_link, 0),
               {"'performance, schedutil'"});
  described["cpu"]["governor"] = nullptr;
  EXPECT_TRUE(machine::doubts(described, full_link, 0).empty());
}

TEST(machine_doubts, virtual_machine) {
  json described = spotless();
  described["virtualisation"]["hypervisor"] = "KVM";
  expect_doubt("virtual_machine", machine::doubts(described, full_link, 0),
               {"virtual machine (KVM)"});
}

TEST(machine_doubts, gpu_on_another_numa_node) {
  expect_doubt("numa_far", machine::doubts(spotless(), full_link, 1),
               {"process runs on NUMA node 0, the GPU hangs on node 1", "--cpunodebind=1"});
  EXPECT_TRUE(machine::doubts(spotless(), full_link, std::nullopt).empty());
  json described = spotless();
  described["process"]["numa_node"] = nullptr;
  EXPECT_TRUE(machine::doubts(described, full_link, 1).empty());
}

TEST(machine_doubts, small_memlock_limit) {
  json described = spotless();
  described["memory"]["memlock_limit_bytes"] = 8 * mib;
  expect_doubt("memlock_limit", machine::doubts(described, full_link, 0),
               {"memlock limit is 8 MiB:", "ulimit -l unlimited"});
  described["memory"]["memlock_limit_applies"] = nullptr;
  described["memory"]["memlock_limit_bytes"] = 64 * kib;
  expect_doubt("memlock_limit", machine::doubts(described, full_link, 0),
               {"memlock limit is 64 KiB:"});
  described["memory"]["memlock_limit_applies"] = false;
  EXPECT_TRUE(machine::doubts(described, full_link, 0).empty());
  described["memory"]["memlock_limit_applies"] = true;
  described["memory"]["memlock_limit_bytes"] = 4 * gib;
  EXPECT_TRUE(machine::doubts(described, full_link, 0).empty());
}

TEST(machine_doubts, other_load) {
  json described = spotless();
  described["load_average_1min"] = 7.31;
  expect_doubt("other_load", machine::doubts(described, full_link, 0),
               {"load average 7.3 on 8 CPUs"});
  described["load_average_1min"] = 3.0;  // this process, and a quarter of 8 CPUs
  EXPECT_TRUE(machine::doubts(described, full_link, 0).empty());
  described["load_average_1min"] = 3.01;
  EXPECT_EQ(machine::doubts(described, full_link, 0).size(), 1U);
  described["cpu"]["logical_cpus_online"] = 128;
  EXPECT_TRUE(machine::doubts(described, full_link, 0).empty());
  described["cpu"]["logical_cpus_online"] = nullptr;
  EXPECT_TRUE(machine::doubts(described, full_link, 0).empty());
}

TEST(machine_doubts, each_cause_gets_its_own_line) {
  json described = spotless();
  described["cpu"]["governor"] = "powersave";
  described["virtualisation"]["hypervisor"] = "VMware";
  described["memory"]["memlock_limit_bytes"] = 8 * mib;
  described["load_average_1min"] = 20;
  EXPECT_EQ(machine::doubts(described, machine::pcie_link{1, 1, 5, 16}, 1).size(), 6U);
}

/// A run whose clocks do not change.
machine::clocks_of_run steady() {
  const machine::clocks all{.gpu = machine::gpu_clocks{.sm_mhz = 2000,
                                                       .throttled_by = machine::throttle_reasons{},
                                                       .pcie_replays = 7},
                            .cpu_throttle_events = 100};
  return {.start = all, .end = all};
}

TEST(machine_doubts, none_about_steady_clocks) {
  EXPECT_EQ(machine::doubts(steady()), std::vector<common::message>{});
}

TEST(machine_doubts, none_about_unknown_clocks) {
  const std::vector<common::message> none;
  EXPECT_EQ(machine::doubts(machine::clocks_of_run{}), none);
  machine::clocks_of_run run = steady();
  run.end = {};
  EXPECT_EQ(machine::doubts(run), none);
  run = steady();
  run.start = {};
  run.end.gpu->throttled_by.reset();
  EXPECT_EQ(machine::doubts(run), none);
}

TEST(machine_doubts, throttled_gpu) {
  machine::clocks_of_run run = steady();
  run.seen_between = {"hw_thermal_slowdown", "sw_power_cap"};
  expect_doubt("gpu_throttled", machine::doubts(run),
               {"GPU was throttled", "(hw_thermal_slowdown, sw_power_cap)"});
  run = steady();
  run.start.gpu->throttled_by = {"sync_boost"};
  expect_doubt("gpu_throttled", machine::doubts(run), {"(sync_boost)"});
}

TEST(machine_doubts, sm_clock_that_has_fallen) {
  machine::clocks_of_run run = steady();
  run.end.gpu->sm_mhz = 1800;  // nine tenths of the clock at the start are tolerated
  EXPECT_TRUE(machine::doubts(run).empty());
  run.end.gpu->sm_mhz = 1799;
  expect_doubt("gpu_clock_fell", machine::doubts(run),
               {"2000 MHz at the start", "1799 MHz at its end"});
  run.end.gpu->sm_mhz = 2200;
  EXPECT_TRUE(machine::doubts(run).empty());
}

TEST(machine_doubts, pcie_replays) {
  machine::clocks_of_run run = steady();
  run.end.gpu->pcie_replays = 19;
  expect_doubt("pcie_replays", machine::doubts(run), {"PCIe", "12 packets were sent again"});
  run.end.gpu->pcie_replays = 0;
  EXPECT_TRUE(machine::doubts(run).empty());
}

TEST(machine_doubts, throttled_cpu) {
  machine::clocks_of_run run = steady();
  run.end.cpu_throttle_events = 134;
  expect_doubt("cpu_throttled", machine::doubts(run), {"CPU was throttled", "34 events"});
}

}  // namespace
}  // namespace bench_transfers::machine::doubts_test
