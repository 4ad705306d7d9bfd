#include <sys/utsname.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/machine/files.hpp"
#include "src/machine/machine.hpp"
#include "src/machine/sections.hpp"
#include "tests/unit/machine/fake_tree.hpp"

namespace bench_transfers::machine::system_test {
namespace {

using machine_process = fake_tree;
using machine_system = fake_tree;

TEST_F(machine_process, nodes_allowed_come_from_status) {
  write("proc/self/status", "Name:\tx\nMems_allowed:\t00000003\nMems_allowed_list:\t0-1\n");
  EXPECT_EQ(machine::describe_process(root)["numa_policy_nodes_allowed"], "0-1");
  write("proc/self/status", "Name:\tx\nMems_allowed_list:");
  EXPECT_TRUE(machine::describe_process(root)["numa_policy_nodes_allowed"].is_null());
}

TEST_F(machine_process, containers_are_recognised_by_their_marks) {
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

TEST_F(machine_process, containers_are_recognised_by_their_cgroup) {
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

TEST_F(machine_system, product_is_that_of_the_firmware) {
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

TEST_F(machine_system, iommu_is_on_off_or_unknown) {
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

// The complete description.

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
  // The description has the same keys on every computer, so that readers need no special cases.
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

}  // namespace
}  // namespace bench_transfers::machine::system_test
