#include "src/machine/cgroups.hpp"

#include "tests/unit/machine/fake_tree.hpp"

namespace bench_transfers::machine::cgroups_test {
namespace {

class machine_cgroups : public fake_tree {};

TEST_F(machine_cgroups, have_no_cpu_quota_without_files) {
  EXPECT_EQ(cpu_quota_of_this_process(root), std::nullopt);
}

TEST_F(machine_cgroups, the_tightest_cpu_quota_of_all_levels_counts) {
  write("proc/self/cgroup", "0::/pods/mine\n");
  write("sys/fs/cgroup/pods/mine/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/pods/cpu.max", "250000 100000\n");
  write("sys/fs/cgroup/pods/cpu.stat", "nr_periods 9\nnr_throttled 4\n");
  write("sys/fs/cgroup/cpu.max", "800000 100000\n");
  EXPECT_EQ(cpu_quota_of_this_process(root), (cpu_quota{2.5, 4}));
}

TEST_F(machine_cgroups, version_1_has_files_of_its_own) {
  write("proc/self/cgroup", "4:cpu,cpuacct:/mine\n3:memory:/other\n");
  write("sys/fs/cgroup/cpu/mine/cpu.cfs_quota_us", "50000\n");
  write("sys/fs/cgroup/cpu/mine/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpu_quota_of_this_process(root), (cpu_quota{0.5, std::nullopt}));
}

TEST_F(machine_cgroups, malformed_quotas_are_none) {
  for (const char* text : {"", "max", "100000", "0 100000", "100000 0", "a b", "1 2 3"}) {
    write("sys/fs/cgroup/cpu.max", text);
    EXPECT_EQ(cpu_quota_of_this_process(root), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace bench_transfers::machine::cgroups_test
