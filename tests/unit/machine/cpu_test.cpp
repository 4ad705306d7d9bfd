#include <sched.h>

#include <string>

#include "src/machine/sections.hpp"
#include "tests/unit/machine/fake_tree.hpp"

namespace bench_transfers::machine::cpu_test {
namespace {

using machine_cpu = fake_tree;

TEST_F(machine_cpu, reads_a_complete_tree) {
  write("proc/cpuinfo", "processor\t: 0\nmodel\t\t: 143\nmodel name\t: Fast CPU 9000\n");
  write("sys/devices/system/cpu/online", "0-3,8\n");
  write("sys/devices/system/node/online", "0-1\n");
  write("sys/devices/system/cpu/smt/active", "1\n");
  write("sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n");
  write("sys/devices/system/cpu/cpu1/topology/physical_package_id", "36\n");
  write("sys/devices/system/cpu/cpu2/topology/physical_package_id", "0\n");
  write("sys/devices/system/cpu/cpu3/topology/physical_package_id", "-1\n");
  write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  write("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
  write("sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "powersave\n");
  write("sys/devices/system/cpu/cpufreq/ondemand/x", "not a CPU\n");
  const std::string cache = "sys/devices/system/cpu/cpu0/cache/";
  write(cache + "index0/level", "1\n");
  write(cache + "index0/type", "Data\n");
  write(cache + "index0/size", "48K\n");
  write(cache + "index0/shared_cpu_list", "0,64\n");
  write(cache + "index3/level", "3\n");
  write(cache + "index3/type", "Unified\n");
  write(cache + "index3/size", "32M\n");
  write(cache + "index3/shared_cpu_list", "0-31\n");
  write(cache + "uevent", "\n");

  const json cpu = machine::describe_cpu(root);
  EXPECT_EQ(cpu["model"], "Fast CPU 9000");
  EXPECT_EQ(cpu["logical_cpus_online"], 5);
  EXPECT_EQ(cpu["numa_nodes"], 2);
  EXPECT_EQ(cpu["smt_active"], true);
  EXPECT_EQ(cpu["sockets"], 2);
  EXPECT_EQ(cpu["governor"], "performance, powersave");
  const json caches = {
      {{"level", 1}, {"type", "Data"}, {"bytes", 48 * kib}, {"shared_by_cpus", 2}},
      {{"level", 3}, {"type", "Unified"}, {"bytes", 32 * mib}, {"shared_by_cpus", 32}}};
  EXPECT_EQ(cpu["caches"], caches);
}

TEST_F(machine_cpu, garbage_becomes_null) {
  write("proc/cpuinfo", "model name\t:\n");
  write("sys/devices/system/cpu/online", "0-\n");
  write("sys/devices/system/node/online", "\n");
  write("sys/devices/system/cpu/smt/active", "7\n");
  write("sys/devices/system/cpu/cpu0/topology/physical_package_id", "-1\n");
  write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "\n");
  write("sys/devices/system/cpu/cpu0/cache/index0/size", "K\n");
  write("sys/devices/system/cpu/cpu0/cache/index1/size", "99999999999999999999M\n");
  write("sys/devices/system/cpu/cpu0/cache/index2/size", "18446744073709551615K\n");

  const json cpu = machine::describe_cpu(root);
  for (const char* key :
       {"model", "logical_cpus_online", "numa_nodes", "smt_active", "sockets", "governor"}) {
    EXPECT_TRUE(cpu[key].is_null()) << key << ' ' << cpu[key];
  }
  ASSERT_EQ(cpu["caches"].size(), 3U);
  for (const json& cache : cpu["caches"]) {
    EXPECT_TRUE(cache["bytes"].is_null()) << cache;
    EXPECT_TRUE(cache["level"].is_null()) << cache;
  }
}

TEST_F(machine_cpu, arm_and_power_have_other_names_for_the_model) {
  write("proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd4f\n");
  EXPECT_EQ(machine::describe_cpu(root)["model"], "implementer 0x41, part 0xd4f");
  write("proc/cpuinfo", "processor\t: 0\ncpu\t\t: POWER9, altivec supported\n");
  EXPECT_EQ(machine::describe_cpu(root)["model"], "POWER9, altivec supported");
  write("proc/cpuinfo", "CPU implementer\t: 0x41\n");
  EXPECT_TRUE(machine::describe_cpu(root)["model"].is_null());
}

TEST_F(machine_cpu, affinity_mask_is_that_of_this_process) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof(before), &before), 0);
  EXPECT_EQ(machine::describe_cpu(root)["cpus_allowed"], CPU_COUNT(&before));

  std::size_t first = 0;
  while (!CPU_ISSET(first, &before)) {
    ++first;
  }
  cpu_set_t single;
  CPU_ZERO(&single);
  CPU_SET(first, &single);
  ASSERT_EQ(sched_setaffinity(0, sizeof(single), &single), 0);
  EXPECT_EQ(machine::describe_cpu(root)["cpus_allowed"], 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
}

}  // namespace
}  // namespace bench_transfers::machine::cpu_test
