#include "machine/machine.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "machine/files.hpp"
#include "machine/pcie.hpp"
#include "machine/sections.hpp"
#include "machine/trust.hpp"

namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;
constexpr std::size_t gib = 1024 * mib;

/// An empty directory that stands for "/" and goes away after the test.
class fake_tree : public testing::Test {
 protected:
  fake_tree() {
    std::string name = testing::TempDir() + "/machine_test_XXXXXX";
    if (mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("no temporary directory " + name);
    }
    root = name;
  }

  ~fake_tree() override {
    std::error_code ignored;
    std::filesystem::remove_all(root, ignored);
  }

  void write(const std::string& path, std::string_view content) const {
    std::filesystem::create_directories((root / path).parent_path());
    std::ofstream(root / path) << content;
  }

  void make_directory(const std::string& path) const {
    std::filesystem::create_directories(root / path);
  }

  /// A device that can do generation 5 x16 unless other values are given.
  void write_link(const std::string& device, std::string_view speed, std::string_view width,
                  std::string_view speed_max = "32.0 GT/s PCIe\n",
                  std::string_view width_max = "16\n") const {
    const std::string base = "sys/bus/pci/devices/" + device + "/";
    write(base + "current_link_speed", speed);
    write(base + "current_link_width", width);
    write(base + "max_link_speed", speed_max);
    write(base + "max_link_width", width_max);
  }

  void write_meminfo(std::string_view available = "8388608 kB") const {
    write("proc/meminfo",
          "MemTotal:       16777216 kB\nMemFree:         1048576 kB\n"
          "MemAvailable:    " +
              std::string(available) +
              "\nSwapTotal:       2097152 kB\n"
              "HugePages_Total:       0\n");
  }

  std::filesystem::path root;
};

using machine_files = fake_tree;
using machine_cpu = fake_tree;
using machine_memory = fake_tree;
using machine_process = fake_tree;
using machine_system = fake_tree;
using machine_pcie = fake_tree;

// Small text files.

TEST_F(machine_files, first_line_comes_trimmed) {
  write("a", "  performance \t\r\nsecond\n");
  EXPECT_EQ(machine::read_line(root / "a"), "performance");
}

TEST_F(machine_files, no_line_means_nullopt) {
  write("empty", "");
  write("blank", " \t\nsecond line does not count\n");
  make_directory("directory");
  EXPECT_EQ(machine::read_line(root / "empty"), std::nullopt);
  EXPECT_EQ(machine::read_line(root / "blank"), std::nullopt);
  EXPECT_EQ(machine::read_line(root / "directory"), std::nullopt);
  EXPECT_EQ(machine::read_line(root / "missing"), std::nullopt);
  EXPECT_EQ(machine::read_lines(root / "directory"), std::nullopt);
  EXPECT_EQ(machine::read_lines(root / "missing"), std::nullopt);
}

TEST_F(machine_files, a_field_needs_the_whole_key_and_a_value) {
  write("f", "cpu family\t: 6\ncpu\t: POWER9\nempty:\nlast: a: b \n");
  EXPECT_EQ(machine::read_field(root / "f", "cpu", ':'), "POWER9");
  EXPECT_EQ(machine::read_field(root / "f", "last", ':'), "a: b");
  EXPECT_EQ(machine::read_field(root / "f", "empty", ':'), std::nullopt);
  EXPECT_EQ(machine::read_field(root / "f", "fam", ':'), std::nullopt);
  EXPECT_EQ(machine::read_field(root / "missing", "cpu", ':'), std::nullopt);
}

TEST(machine_text, words_are_split_at_any_white_space) {
  const std::vector<std::string_view> expected{"a", "b", "c"};
  EXPECT_EQ(machine::words("  a\tb \n c"), expected);
  EXPECT_TRUE(machine::words(" \n").empty());
  EXPECT_TRUE(machine::words("").empty());
}

TEST(machine_text, numbers_must_fill_the_text) {
  EXPECT_EQ(machine::parse_count("0"), 0U);
  EXPECT_EQ(machine::parse_count("18446744073709551615"), 18446744073709551615U);
  for (const char* text : {"", "-1", "+1", "1 ", "0x10", "12a", "18446744073709551616"}) {
    EXPECT_EQ(machine::parse_count(text), std::nullopt) << '\'' << text << '\'';
  }
  EXPECT_EQ(machine::parse_real("32.0"), 32.0);
  for (const char* text : {"", "nan", "inf", "1.5x", "Unknown"}) {
    EXPECT_EQ(machine::parse_real(text), std::nullopt) << '\'' << text << '\'';
  }
}

TEST(machine_text, kernel_lists_are_counted) {
  EXPECT_EQ(machine::count_of_list("0"), 1U);
  EXPECT_EQ(machine::count_of_list("0-3"), 4U);
  EXPECT_EQ(machine::count_of_list("0-3,8,10-11"), 7U);
  for (const char* text : {"", ",", "0-", "-3", "3-1", "0,,1", "0-3,", "all"}) {
    EXPECT_EQ(machine::count_of_list(text), std::nullopt) << '\'' << text << '\'';
  }
}

TEST_F(machine_files, names_are_sorted_and_a_file_is_no_directory) {
  write("d/b", "x");
  write("d/a", "x");
  make_directory("none");
  EXPECT_EQ(machine::names_in(root / "d"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(machine::names_in(root / "none"), std::vector<std::string>{});
  EXPECT_EQ(machine::names_in(root / "d/a"), std::nullopt);
  EXPECT_EQ(machine::names_in(root / "missing"), std::nullopt);
}

TEST(machine_text, text_that_is_not_utf8_can_still_be_written_as_json) {
  const json value = machine::or_null(std::optional<std::string>("caf\xe9"));
  EXPECT_EQ(value.dump(), "\"caf\xef\xbf\xbd\"");
  EXPECT_EQ(machine::or_null(std::optional<std::string>("caf\xc3\xa9")), "caf\xc3\xa9");
}

// CPU.

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
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(machine::describe_cpu(root)["cpus_allowed"], 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof(before), &before), 0);
}

// Memory.

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

  // Cached files are given up first.
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
  EXPECT_EQ(machine::memlock_limit_bytes(), 4096U);
  EXPECT_EQ(machine::describe_memory(root)["memlock_limit_bytes"], 4096);
  ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &before), 0);

  if (before.rlim_max == RLIM_INFINITY) {
    lower.rlim_cur = RLIM_INFINITY;
    ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &lower), 0);
    EXPECT_EQ(machine::memlock_limit_bytes(), std::nullopt);
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
  for (const char* mask : {"", "xyz", "00000000000000000"}) {
    write("proc/self/status", std::string("CapEff:\t") + mask + "\n");
    EXPECT_TRUE(applies().is_null()) << mask;
  }
}

// Process, virtualisation, IOMMU, kernel.

TEST_F(machine_process, nodes_allowed_come_from_status) {
  write("proc/self/status", "Name:\tx\nMems_allowed:\t00000003\nMems_allowed_list:\t0-1\n");
  EXPECT_EQ(machine::describe_process(root)["numa_policy_nodes_allowed"], "0-1");
  write("proc/self/status", "Name:\tx\nMems_allowed_list:");
  EXPECT_TRUE(machine::describe_process(root)["numa_policy_nodes_allowed"].is_null());
}

TEST_F(machine_process, containers_are_told_by_their_marks) {
  EXPECT_EQ(machine::container_kind(root), std::nullopt);
  write("proc/sys/kernel/osrelease", "5.15.90.1-microsoft-standard-WSL2\n");
  EXPECT_EQ(machine::container_kind(root), "wsl");
  write("proc/self/cgroup", "4:memory:/lxc/web\n");
  EXPECT_EQ(machine::container_kind(root), "lxc");
  write("run/systemd/container", "systemd-nspawn\n");
  EXPECT_EQ(machine::container_kind(root), "systemd-nspawn");
  make_directory("run/secrets/kubernetes.io");
  EXPECT_EQ(machine::container_kind(root), "kubernetes");
  make_directory(".singularity.d");
  EXPECT_EQ(machine::container_kind(root), "apptainer");
  write("run/.containerenv", "");
  EXPECT_EQ(machine::container_kind(root), "podman");
  write(".dockerenv", "");
  EXPECT_EQ(machine::container_kind(root), "docker");
}

TEST_F(machine_process, containers_are_told_by_their_cgroup) {
  const std::vector<std::pair<std::string, std::optional<std::string>>> cases{
      {"0::/kubepods.slice/kubepods-burstable.slice/x\n", "kubernetes"},
      {"9:name=systemd:/\n4:memory:/docker/0123\n", "docker"},
      {"0::/system.slice/docker-0123.scope\n", "docker"},
      {"0::/machine.slice/libpod-0123.scope\n", "podman"},
      {"0::/system.slice/docker.service\n", std::nullopt},
      {"0::/user.slice/user-1000.slice/session-2.scope\n", std::nullopt},
  };
  for (const auto& [cgroup, kind] : cases) {
    write("proc/self/cgroup", cgroup);
    EXPECT_EQ(machine::container_kind(root), kind) << cgroup;
  }
}

TEST_F(machine_system, product_takes_what_the_firmware_tells) {
  const auto product = [this] { return machine::describe_virtualisation(root)["product"]; };
  EXPECT_TRUE(product().is_null());
  write("sys/class/dmi/id/product_name", "PowerEdge XE9680\n");
  EXPECT_EQ(product(), "PowerEdge XE9680");
  write("sys/class/dmi/id/sys_vendor", "Dell Inc.\n");
  EXPECT_EQ(product(), "Dell Inc. PowerEdge XE9680");
  write("sys/class/dmi/id/product_name", "\n");
  EXPECT_EQ(product(), "Dell Inc.");
}

TEST(machine_hypervisor, signatures_get_readable_names) {
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(machine::hypervisor_name("KVMKVMKVM\0\0\0"sv), "KVM");
  EXPECT_EQ(machine::hypervisor_name("Microsoft Hv"), "Hyper-V");
  EXPECT_EQ(machine::hypervisor_name("VMwareVMware"), "VMware");
  EXPECT_EQ(machine::hypervisor_name("XenVMMXenVMM"), "Xen");
  EXPECT_EQ(machine::hypervisor_name("SomethingNew"), "SomethingNew");
  EXPECT_EQ(machine::hypervisor_name("\0\0\0\0\0\0\0\0\0\0\0\0"sv), "unknown");
}

TEST_F(machine_system, hypervisor_is_reported_exactly_when_the_cpu_flags_one) {
#if defined(__x86_64__)
  // The kernel prints CPUID's hypervisor bit among the flags of /proc/cpuinfo.
  const std::optional<std::string> flags = machine::read_field("/proc/cpuinfo", "flags", ':');
  if (!flags) {
    GTEST_SKIP() << "no flags in /proc/cpuinfo";
  }
  const bool virtual_machine = (" " + *flags + " ").find(" hypervisor ") != std::string::npos;
  EXPECT_EQ(machine::describe_virtualisation(root)["hypervisor"].is_string(), virtual_machine);
#else
  EXPECT_TRUE(machine::describe_virtualisation(root)["hypervisor"].is_null());
  write("sys/hypervisor/type", "xen\n");
  EXPECT_EQ(machine::describe_virtualisation(root)["hypervisor"], "Xen");
#endif
}

TEST_F(machine_system, iommu_is_on_off_or_not_known) {
  const auto enabled = [this] { return machine::describe_iommu(root)["enabled"]; };
  EXPECT_TRUE(enabled().is_null());
  make_directory("sys/class/iommu");
  EXPECT_EQ(enabled(), false);
  make_directory("sys/kernel/iommu_groups/0");
  EXPECT_EQ(enabled(), true);
  std::filesystem::remove_all(root / "sys/kernel/iommu_groups");
  make_directory("sys/class/iommu/dmar0");
  EXPECT_EQ(enabled(), true);
}

TEST_F(machine_system, only_iommu_words_of_the_command_line_are_kept) {
  const auto parameters = [this] { return machine::describe_iommu(root)["kernel_parameters"]; };
  EXPECT_TRUE(parameters().is_null());
  write("proc/cmdline", "root=/dev/sda1 quiet password=secret\n");
  EXPECT_EQ(parameters(), json::array());
  write("proc/cmdline",
        "root=/dev/iommu_disk intel_iommu=on iommu.passthrough=1 token=iommu swiotlb=65536 "
        "iommu=pt -- --iommu-key=secret\n");
  EXPECT_EQ(parameters(),
            json({"intel_iommu=on", "iommu.passthrough=1", "swiotlb=65536", "iommu=pt"}));
}

TEST_F(machine_system, operating_system_name_loses_its_quotes) {
  const auto name = [this] { return machine::describe(root)["os"]; };
  write("usr/lib/os-release", "PRETTY_NAME='Other Linux'\n");
  EXPECT_EQ(name(), "Other Linux");
  write("etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
  EXPECT_EQ(name(), "Debian GNU/Linux 12 (bookworm)");
  write("etc/os-release", "PRETTY_NAME=Plain\n");
  EXPECT_EQ(name(), "Plain");
  write("etc/os-release", "PRETTY_NAME=\"\"\n");
  EXPECT_EQ(name(), "Other Linux");
  std::filesystem::remove(root / "usr/lib/os-release");
  EXPECT_TRUE(name().is_null());
}

TEST_F(machine_system, load_average_is_the_first_number) {
  const auto load = [this] { return machine::describe(root)["load_average_1min"]; };
  write("proc/loadavg", "7.25 3.00 1.00 3/512 4711\n");
  EXPECT_EQ(load(), 7.25);
  for (const char* line : {"", "high 3.00\n", "-1 3.00\n", "nan 1 1\n"}) {
    write("proc/loadavg", line);
    EXPECT_TRUE(load().is_null()) << line;
  }
}

TEST_F(machine_system, driver_version_from_either_place) {
  EXPECT_EQ(machine::nvidia_driver_version(root), std::nullopt);
  write("proc/driver/nvidia/version", "NVRM version: none of that\nGCC version:  gcc 12.2.0\n");
  EXPECT_EQ(machine::nvidia_driver_version(root), std::nullopt);
  write("proc/driver/nvidia/version",
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 18:56:32 UTC "
        "2023\nGCC version:  gcc version 12.2.0\n");
  EXPECT_EQ(machine::nvidia_driver_version(root), "535.129.03");
  write("proc/driver/nvidia/version",
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build\n");
  EXPECT_EQ(machine::nvidia_driver_version(root), "570.86.15");
  write("sys/module/nvidia/version", "580.65.06\n");
  EXPECT_EQ(machine::nvidia_driver_version(root), "580.65.06");
}

// The whole description.

TEST_F(machine_system, an_empty_tree_gives_nulls) {
  const json all = machine::describe(root);
  const std::vector<const char*> null_places{"/cpu/model",
                                             "/cpu/logical_cpus_online",
                                             "/cpu/sockets",
                                             "/cpu/numa_nodes",
                                             "/cpu/smt_active",
                                             "/cpu/governor",
                                             "/cpu/caches",
                                             "/memory/total_bytes",
                                             "/memory/available_bytes",
                                             "/memory/transparent_hugepage_enabled",
                                             "/memory/transparent_hugepage_defrag",
                                             "/memory/hugepages_2mib_total",
                                             "/memory/memlock_limit_applies",
                                             "/memory/swap_total_bytes",
                                             "/memory/cgroup_limit_bytes",
                                             "/process/numa_policy_nodes_allowed",
                                             "/process/container",
                                             "/virtualisation/product",
                                             "/iommu/enabled",
                                             "/iommu/kernel_parameters",
                                             "/kernel/boot_id",
                                             "/os",
                                             "/load_average_1min"};
  for (const char* place : null_places) {
    const json::json_pointer pointer(place);
    ASSERT_TRUE(all.contains(pointer)) << place;
    EXPECT_TRUE(all[pointer].is_null()) << place << ' ' << all[pointer];
  }
  // The same keys are there on every computer, so that readers need no special cases.
  EXPECT_EQ(all["cpu"].size(), 9U);
  EXPECT_EQ(all["memory"].size(), 10U);
  EXPECT_EQ(machine::describe(root / "does/not/exist"), all);
}

TEST_F(machine_system, directories_in_place_of_files_do_no_harm) {
  for (const char* path :
       {"proc/meminfo", "proc/cpuinfo", "proc/cmdline", "proc/loadavg", "proc/self/cgroup",
        "proc/self/status", "sys/fs/cgroup/memory.max", "etc/os-release"}) {
    make_directory(path);
  }
  const json all = machine::describe(root);
  EXPECT_TRUE(all["memory"]["total_bytes"].is_null());
  EXPECT_TRUE(all["iommu"]["kernel_parameters"].is_null());
  EXPECT_TRUE(all["os"].is_null());
}

TEST_F(machine_system, bytes_that_are_not_utf8_do_not_break_the_result_file) {
  write("etc/os-release", "PRETTY_NAME=\"\xff\xfe Linux\"\n");
  write("proc/cpuinfo", "model name : \xc3\x28\n");
  write("proc/cmdline", "iommu=\xff\n");
  write("sys/class/dmi/id/sys_vendor", "\x80\n");
  EXPECT_NO_THROW(static_cast<void>(machine::describe(root).dump()));
}

TEST(machine_describe, this_computer_is_described_by_valid_json) {
  const json all = machine::describe();
  EXPECT_EQ(json::parse(all.dump()), all);
  EXPECT_GT(all["memory"]["total_bytes"].get<std::size_t>(), 0U);
  EXPECT_EQ(all["memory"]["total_bytes"], machine::total_memory_bytes());
  EXPECT_GT(machine::available_memory_bytes(), 0U);
  EXPECT_LE(machine::available_memory_bytes(), machine::total_memory_bytes());
  EXPECT_LE(all["cpu"]["cpus_allowed"].get<long>(), sysconf(_SC_NPROCESSORS_CONF));
  utsname names{};
  ASSERT_EQ(uname(&names), 0);
  EXPECT_EQ(all["kernel"]["system"], "Linux");
  EXPECT_EQ(all["kernel"]["release"], names.release);
  EXPECT_EQ(all["kernel"]["architecture"], names.machine);
  EXPECT_EQ(all["cpu"]["architecture"], names.machine);
}

TEST_F(machine_system, a_start_of_the_computer_has_an_id) {
  write("proc/sys/kernel/random/boot_id", "6fd2ae1c-6a5d-4c0c-9d4b-3d0f1c9a7b52\n");
  EXPECT_EQ(machine::describe(root)["kernel"]["boot_id"], "6fd2ae1c-6a5d-4c0c-9d4b-3d0f1c9a7b52");
}

TEST(machine_describe, the_id_of_this_start_stays_the_same) {
  const json first = machine::describe()["kernel"]["boot_id"];
  EXPECT_EQ(first, machine::describe()["kernel"]["boot_id"]);
  if (!first.is_null()) {
    EXPECT_EQ(first.get<std::string>().size(), 36U);
  }
}

// PCI Express.

TEST(machine_bus_id, forms_of_cuda_become_that_of_the_kernel) {
  EXPECT_EQ(machine::normalised_bus_id("0000:00:06.0"), "0000:00:06.0");
  EXPECT_EQ(machine::normalised_bus_id("00000000:0A:1F.7"), "0000:0a:1f.7");
  EXPECT_EQ(machine::normalised_bus_id("00000008:01:00.0"), "0008:01:00.0");
  EXPECT_EQ(machine::normalised_bus_id("00010000:E1:00.0"), "10000:e1:00.0");
  EXPECT_EQ(machine::normalised_bus_id("65:00.0"), "0000:65:00.0");
}

TEST(machine_bus_id, everything_else_is_refused) {
  for (const char* text : {"",
                           ".",
                           ":",
                           "::.",
                           "0000:00:06",
                           "0000:00:06.",
                           "0000:00:06.8",
                           "0000:00:06.00",
                           "0000:00:20.0",
                           "0000:0:06.0",
                           "0000:000:06.0",
                           ":00:06.0",
                           "0000:00:6.0",
                           "xyz:00:06.0",
                           "0000:zz:06.0",
                           "../../etc:00:06.0",
                           "0000:00:06.0 ",
                           "-001:00:06.0",
                           "100000000:00:06.0",
                           "0000:0000:00:06.0"}) {
    EXPECT_EQ(machine::normalised_bus_id(text), std::nullopt) << '\'' << text << '\'';
  }
}

TEST_F(machine_pcie, link_is_read_whatever_the_form_of_the_bus_id) {
  write_link("0000:0a:00.0", "2.5 GT/s PCIe\n", "8\n");
  for (const char* id : {"0000:0a:00.0", "00000000:0A:00.0", "0a:00.0"}) {
    const auto link = machine::read_pcie_link(id, root);
    ASSERT_TRUE(link) << id;
    EXPECT_EQ(link->generation, 1);
    EXPECT_EQ(link->width, 8);
    EXPECT_EQ(link->generation_max, 5);
    EXPECT_EQ(link->width_max, 16);
  }
}

TEST_F(machine_pcie, every_speed_has_its_generation) {
  const std::vector<std::pair<const char*, int>> speeds{
      {"2.5 GT/s PCIe\n", 1},  {"5.0 GT/s PCIe\n", 2},  {"8.0 GT/s PCIe\n", 3},
      {"16.0 GT/s PCIe\n", 4}, {"32.0 GT/s PCIe\n", 5}, {"64.0 GT/s PCIe\n", 6},
      {"8 GT/s\n", 3},         {"5 GT/s\n", 2}};
  for (const auto& [speed, generation] : speeds) {
    write_link("0000:01:00.0", speed, "16\n");
    const auto link = machine::read_pcie_link("0000:01:00.0", root);
    ASSERT_TRUE(link) << speed;
    EXPECT_EQ(link->generation, generation) << speed;
  }
}

TEST_F(machine_pcie, unknown_links_are_not_invented) {
  EXPECT_FALSE(machine::read_pcie_link("0000:01:00.0", root));
  EXPECT_FALSE(machine::read_pcie_link("nonsense", root));
  for (const char* speed : {"Unknown\n", "Unknown speed\n", "", "9.0 GT/s PCIe\n", "8.0\n",
                            "8.0 GB/s\n", "-8.0 GT/s\n"}) {
    write_link("0000:01:00.0", speed, "16\n");
    EXPECT_FALSE(machine::read_pcie_link("0000:01:00.0", root)) << speed;
  }
  for (const char* width : {"0\n", "255\n", "3\n", "", "Unknown\n", "x16\n"}) {
    write_link("0000:01:00.0", "8.0 GT/s PCIe\n", width);
    EXPECT_FALSE(machine::read_pcie_link("0000:01:00.0", root)) << width;
  }
  write_link("0000:01:00.0", "8.0 GT/s PCIe\n", "16\n", "Unknown\n");
  EXPECT_FALSE(machine::read_pcie_link("0000:01:00.0", root));
  write_link("0000:01:00.0", "8.0 GT/s PCIe\n", "16\n", "32.0 GT/s PCIe\n", "255\n");
  EXPECT_FALSE(machine::read_pcie_link("0000:01:00.0", root));
}

TEST_F(machine_pcie, numa_node_of_a_device) {
  const std::string path = "sys/bus/pci/devices/0000:01:00.0/numa_node";
  EXPECT_EQ(machine::numa_node_of("0000:01:00.0", root), std::nullopt);
  write(path, "1\n");
  EXPECT_EQ(machine::numa_node_of("00000000:01:00.0", root), 1);
  for (const char* node : {"-1\n", "", "none\n", "99999999999\n"}) {
    write(path, node);
    EXPECT_EQ(machine::numa_node_of("0000:01:00.0", root), std::nullopt) << node;
  }
  EXPECT_EQ(machine::numa_node_of("../0000:01:00.0", root), std::nullopt);
}

TEST(machine_pcie_limit, rates_after_line_coding) {
  // By hand: lanes * GT/s / 8 bits * coding.
  EXPECT_DOUBLE_EQ(machine::pcie_limit_gb_per_s(1, 1), 0.25);
  EXPECT_DOUBLE_EQ(machine::pcie_limit_gb_per_s(2, 16), 8.0);
  EXPECT_NEAR(machine::pcie_limit_gb_per_s(3, 16), 15.754, 0.001);
  EXPECT_NEAR(machine::pcie_limit_gb_per_s(4, 16), 31.508, 0.001);
  EXPECT_NEAR(machine::pcie_limit_gb_per_s(5, 16), 63.015, 0.001);
  EXPECT_NEAR(machine::pcie_limit_gb_per_s(5, 8), 31.508, 0.001);
  EXPECT_DOUBLE_EQ(machine::pcie_limit_gb_per_s(6, 16), 121.0);
}

TEST(machine_pcie_limit, what_does_not_exist_is_nan_and_thus_null_in_json) {
  for (const auto& [generation, width] :
       std::vector<std::pair<int, int>>{{0, 16}, {7, 16}, {-1, 16}, {5, 0}, {5, 3}, {5, -8}}) {
    EXPECT_TRUE(std::isnan(machine::pcie_limit_gb_per_s(generation, width)));
    EXPECT_TRUE(std::isnan(machine::pcie_packet_limit_gb_per_s(generation, width).first));
  }
  EXPECT_TRUE(std::isnan(machine::pcie_packet_limit_gb_per_s(5, 16, 0).second));
  EXPECT_TRUE(std::isnan(machine::pcie_packet_limit_gb_per_s(5, 16, -256).second));
  EXPECT_EQ(json(machine::pcie_limit_gb_per_s(0, 0)).dump(), "null");
}

TEST(machine_pcie_limit, packet_headers_come_off) {
  const auto [low, high] = machine::pcie_packet_limit_gb_per_s(5, 16);
  EXPECT_NEAR(low, 57.614, 0.001);   // 63.015 * 256 / 280
  EXPECT_NEAR(high, 58.449, 0.001);  // 63.015 * 256 / 276

  const auto small = machine::pcie_packet_limit_gb_per_s(3, 16, 128);
  EXPECT_NEAR(small.first, 13.266, 0.001);   // 15.754 * 128 / 152
  EXPECT_NEAR(small.second, 13.625, 0.001);  // 15.754 * 128 / 148

  // 128 GB/s on the wires, 236 of 256 bytes for packets, header of 16 or 12 bytes.
  const auto flits = machine::pcie_packet_limit_gb_per_s(6, 16);
  EXPECT_NEAR(flits.first, 111.059, 0.001);   // 118 * 256 / 272
  EXPECT_NEAR(flits.second, 112.716, 0.001);  // 118 * 256 / 268
}

// Doubts.

/// A computer nothing can be said against.
json spotless() {
  return {{"cpu", {{"logical_cpus_online", 8}, {"governor", "performance"}}},
          {"memory", {{"memlock_limit_bytes", "unlimited"}, {"memlock_limit_applies", true}}},
          {"process", {{"numa_node", 0}}},
          {"virtualisation", {{"hypervisor", nullptr}}},
          {"load_average_1min", 0.5}};
}

constexpr machine::pcie_link full_link{5, 16, 5, 16};

/// Expects one doubt with all of `parts` in it.
void expect_doubt(const std::vector<std::string>& lines, const std::vector<std::string>& parts) {
  ASSERT_EQ(lines.size(), 1U) << testing::PrintToString(lines);
  for (const std::string& part : parts) {
    EXPECT_NE(lines[0].find(part), std::string::npos) << part << " not in: " << lines[0];
  }
  EXPECT_EQ(lines[0].find('\n'), std::string::npos);
}

TEST(machine_doubts, none_about_a_spotless_computer) {
  EXPECT_EQ(machine::doubts(spotless(), full_link, 0), std::vector<std::string>{});
}

TEST(machine_doubts, none_about_what_is_not_known) {
  const std::vector<std::string> none;
  EXPECT_EQ(machine::doubts(json::object(), std::nullopt, std::nullopt), none);
  EXPECT_EQ(machine::doubts(json(nullptr), std::nullopt, 1), none);
  EXPECT_EQ(machine::doubts(json({{"cpu", nullptr}, {"memory", 3}}), std::nullopt, 1), none);
}

TEST(machine_doubts, link_below_what_the_device_can_do) {
  expect_doubt(machine::doubts(spotless(), machine::pcie_link{3, 8, 5, 16}, 0),
               {"link runs at PCIe 3.0 x8, the device can do 5.0 x16", "7.9", "63.0"});
  expect_doubt(machine::doubts(spotless(), machine::pcie_link{5, 8, 5, 16}, 0),
               {"PCIe 5.0 x8", "31.5", "63.0"});
  expect_doubt(machine::doubts(spotless(), machine::pcie_link{4, 16, 5, 16}, 0),
               {"PCIe 4.0 x16", "slot offers no more"});
}

TEST(machine_doubts, governor_other_than_performance) {
  json described = spotless();
  described["cpu"]["governor"] = "powersave";
  expect_doubt(machine::doubts(described, full_link, 0), {"CPU governor is 'powersave'"});
  described["cpu"]["governor"] = "performance, schedutil";
  expect_doubt(machine::doubts(described, full_link, 0), {"'performance, schedutil'"});
  described["cpu"]["governor"] = nullptr;
  EXPECT_TRUE(machine::doubts(described, full_link, 0).empty());
}

TEST(machine_doubts, virtual_machine) {
  json described = spotless();
  described["virtualisation"]["hypervisor"] = "KVM";
  expect_doubt(machine::doubts(described, full_link, 0), {"virtual machine (KVM)"});
}

TEST(machine_doubts, gpu_on_another_numa_node) {
  expect_doubt(machine::doubts(spotless(), full_link, 1),
               {"process runs on NUMA node 0, GPU hangs on node 1", "--cpunodebind=1"});
  EXPECT_TRUE(machine::doubts(spotless(), full_link, std::nullopt).empty());
  json described = spotless();
  described["process"]["numa_node"] = nullptr;
  EXPECT_TRUE(machine::doubts(described, full_link, 1).empty());
}

TEST(machine_doubts, small_memlock_limit) {
  json described = spotless();
  described["memory"]["memlock_limit_bytes"] = 8 * mib;
  expect_doubt(machine::doubts(described, full_link, 0),
               {"memlock limit is 8 MiB:", "ulimit -l unlimited"});
  described["memory"]["memlock_limit_applies"] = nullptr;
  described["memory"]["memlock_limit_bytes"] = 64 * kib;
  expect_doubt(machine::doubts(described, full_link, 0), {"memlock limit is 64 KiB:"});
  described["memory"]["memlock_limit_applies"] = false;
  EXPECT_TRUE(machine::doubts(described, full_link, 0).empty());
  described["memory"]["memlock_limit_applies"] = true;
  described["memory"]["memlock_limit_bytes"] = 4 * gib;
  EXPECT_TRUE(machine::doubts(described, full_link, 0).empty());
}

TEST(machine_doubts, other_load) {
  json described = spotless();
  described["load_average_1min"] = 7.31;
  expect_doubt(machine::doubts(described, full_link, 0), {"load average 7.3 on 8 CPUs"});
  described["load_average_1min"] = 3.0;  // this process and a quarter of 8 CPUs
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

}  // namespace
