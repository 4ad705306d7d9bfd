#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "src/machine/machine.hpp"
#include "src/machine/sections.hpp"
#include "tests/unit/machine/fake_tree.hpp"

namespace bench_transfers::machine::memory_test {
namespace {

using machine_memory = fake_tree;

TEST_F(machine_memory, reads_a_complete_tree) {
  write_meminfo();
  write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  write("sys/kernel/mm/transparent_hugepage/defrag",
        "always defer defer+madvise madvise [never]\n");
  write("sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "512\n");

  const json memory = machine::describe_memory(root);
  EXPECT_EQ(memory["total_bytes"], 16 * gib);
  EXPECT_EQ(memory["available_bytes"], 8 * gib);
  EXPECT_EQ(memory["swap_total_bytes"], 2 * gib);
  EXPECT_EQ(memory["transparent_hugepage_enabled"], "madvise");
  EXPECT_EQ(memory["transparent_hugepage_defrag"], "never");
  EXPECT_EQ(memory["hugepages_2mib_total"], 512);
  EXPECT_EQ(memory["page_bytes"], sysconf(_SC_PAGESIZE));
  EXPECT_TRUE(memory["cgroup_limit_bytes"].is_null());
  EXPECT_EQ(machine::total_memory_bytes(root), 16 * gib);
  EXPECT_EQ(machine::available_memory_bytes(root), 8 * gib);
}

TEST_F(machine_memory, truncated_meminfo_is_not_guessed_from) {
  for (const char* available :
       {"", "83886", "83886 k", "many kB", "-5 kB", "1 kB more", "18446744073709551615 kB"}) {
    write("proc/meminfo", std::string("MemAvailable:  ") + available);
    EXPECT_TRUE(machine::describe_memory(root)["available_bytes"].is_null()) << available;
    EXPECT_TRUE(machine::describe_memory(root)["total_bytes"].is_null()) << available;
    EXPECT_EQ(machine::available_memory_bytes(root), 0U) << available;
    EXPECT_EQ(machine::total_memory_bytes(root), 0U) << available;
  }
}

TEST_F(machine_memory, huge_page_settings_need_their_brackets) {
  const std::string path = "sys/kernel/mm/transparent_hugepage/enabled";
  for (const char* line : {"always madvise never\n", "always [madvise\n", "]always[\n", "[]\n"}) {
    write(path, line);
    EXPECT_TRUE(machine::describe_memory(root)["transparent_hugepage_enabled"].is_null()) << line;
  }
}

TEST_F(machine_memory, cgroup_v2_limit_lowers_what_is_available) {
  write_meminfo();
  write("proc/self/cgroup", "0::/user.slice/job\n");
  write("sys/fs/cgroup/user.slice/job/memory.max", "4294967296\n");
  write("sys/fs/cgroup/user.slice/job/memory.current", "1073741824\n");
  EXPECT_EQ(machine::available_memory_bytes(root), 3 * gib);
  EXPECT_EQ(machine::describe_memory(root)["available_bytes"], 3 * gib);
  EXPECT_EQ(machine::describe_memory(root)["cgroup_limit_bytes"], 4 * gib);

  // The kernel frees cached files first.
  write("sys/fs/cgroup/user.slice/job/memory.stat",
        "anon 536870912\nfile 536870912\ninactive_file 536870912\n");
  EXPECT_EQ(machine::available_memory_bytes(root), 3 * gib + 512 * mib);
}

TEST_F(machine_memory, every_ancestor_of_the_cgroup_counts) {
  write_meminfo();
  write("proc/self/cgroup", "0::/outer/inner\n");
  write("sys/fs/cgroup/outer/inner/memory.max", "max\n");
  write("sys/fs/cgroup/outer/memory.max", "2147483648\n");
  write("sys/fs/cgroup/outer/memory.current", "2147483649\n");
  EXPECT_EQ(machine::available_memory_bytes(root), 0U);  // used up, not negative
  EXPECT_EQ(machine::describe_memory(root)["available_bytes"], 0);
  EXPECT_EQ(machine::describe_memory(root)["cgroup_limit_bytes"], 2 * gib);
}

TEST_F(machine_memory, roomy_cgroup_does_not_raise_what_is_available) {
  write_meminfo();
  write("proc/self/cgroup", "0::/\n");
  write("sys/fs/cgroup/memory.max", "1099511627776\n");
  write("sys/fs/cgroup/memory.current", "0\n");
  EXPECT_EQ(machine::available_memory_bytes(root), 8 * gib);
}

TEST_F(machine_memory, cgroup_without_limit_says_unlimited) {
  write_meminfo();
  write("proc/self/cgroup", "0::/job\n");
  write("sys/fs/cgroup/job/memory.max", "max\n");
  write("sys/fs/cgroup/job/memory.current", "1073741824\n");
  EXPECT_EQ(machine::describe_memory(root)["cgroup_limit_bytes"], "unlimited");
  EXPECT_EQ(machine::available_memory_bytes(root), 8 * gib);
}

TEST_F(machine_memory, garbage_in_the_cgroup_is_passed_over) {
  write_meminfo();
  write("proc/self/cgroup", "nonsense\n0:no third part\n0::/job\n");
  write("sys/fs/cgroup/job/memory.max", "lots\n");
  EXPECT_TRUE(machine::describe_memory(root)["cgroup_limit_bytes"].is_null());
  EXPECT_EQ(machine::available_memory_bytes(root), 8 * gib);
}

TEST_F(machine_memory, cgroup_v1_limit_lowers_what_is_available) {
  write_meminfo();
  write("proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/job\n0::/\n");
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "2147483648\n");
  write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "1073741824\n");
  write("sys/fs/cgroup/memory/job/memory.stat", "cache 1\ntotal_inactive_file 1048576\n");
  EXPECT_EQ(machine::available_memory_bytes(root), gib + mib);
  EXPECT_EQ(machine::describe_memory(root)["cgroup_limit_bytes"], 2 * gib);

  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(machine::available_memory_bytes(root), 8 * gib);
  EXPECT_EQ(machine::describe_memory(root)["cgroup_limit_bytes"], "unlimited");
}

TEST_F(machine_memory, container_that_sees_the_host_s_cgroup_path_finds_its_own_mount) {
  write_meminfo();
  write("proc/self/cgroup", "4:memory:/docker/0123abc\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "0\n");
  EXPECT_EQ(machine::available_memory_bytes(root), gib);

  std::filesystem::remove(root / "proc/self/cgroup");
  EXPECT_EQ(machine::available_memory_bytes(root), gib);
}

TEST_F(machine_memory, cgroup_path_cannot_lead_out_of_the_mount) {
  write_meminfo();
  write("proc/self/cgroup", "0::/../../outside\n");
  write("sys/outside/memory.max", "4096\n");
  write("sys/fs/cgroup/memory.max", "1073741824\n");
  EXPECT_EQ(machine::available_memory_bytes(root), gib);
}

TEST_F(machine_memory, memlock_limit_is_that_of_getrlimit) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_MEMLOCK, &before), 0);
  rlimit lower = before;
  lower.rlim_cur = 4096;
  ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &lower), 0);
  EXPECT_EQ(machine::describe_memory(root)["memlock_limit_bytes"], 4096);
  ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &before), 0);

  if (before.rlim_max == RLIM_INFINITY) {
    lower.rlim_cur = RLIM_INFINITY;
    ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &lower), 0);
    EXPECT_EQ(machine::describe_memory(root)["memlock_limit_bytes"], "unlimited");
    ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &before), 0);
  }
}

TEST_F(machine_memory, memlock_limit_does_not_bind_root_of_the_computer) {
  const auto applies = [this] { return machine::describe_memory(root)["memlock_limit_applies"]; };
  write("proc/self/uid_map", "         0          0 4294967295\n");
  write("proc/self/status", "Name:\tx\nCapEff:\t0000000000004000\n");
  EXPECT_EQ(applies(), false);
  write("proc/self/status", "CapEff:\t00000000a80425fb\n");  // Docker's default, without IPC_LOCK
  EXPECT_EQ(applies(), true);
  write("proc/self/status", "CapEff:\t000001ffffffffff\n");
  write("proc/self/uid_map", "         0       1000          1\n");  // root in a user namespace
  EXPECT_EQ(applies(), true);
  for (const char* mask : {"", "xyz", "1ffffffffffffffff"}) {
    write("proc/self/status", std::string("CapEff:\t") + mask + "\n");
    EXPECT_TRUE(applies().is_null()) << mask;
  }
}

}  // namespace
}  // namespace bench_transfers::machine::memory_test
