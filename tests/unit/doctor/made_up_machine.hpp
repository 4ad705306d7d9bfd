#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "src/doctor/read/collect.hpp"
#include "src/machine/machine.hpp"
#include "tests/unit/common/temporary_folder.hpp"
#include "tests/unit/machine/made_up_configuration.hpp"

namespace bench_transfers::doctor {

/// What NVML says of a made-up GPU: by default nothing that slows it.
struct made_up_monitor final : machine::gpu_monitor {
  machine::gpu_clocks clocks{.sm_mhz = 1980,
                             .sm_max_mhz = 1980,
                             .temperature_c = 40,
                             .throttled_by = machine::throttle_reasons{},
                             .pcie_replays = 0};
  machine::gpu_settings set{.persistence = true,
                            .application_sm_mhz = 1980,
                            .default_application_sm_mhz = 1980,
                            .power_limit_mw = 700'000,
                            .default_power_limit_mw = 700'000,
                            .ecc = true,
                            .uncorrected_errors = 0,
                            .rows_to_remap = false,
                            .confidential = false};
  std::optional<bool> divided = false;
  unsigned replays_between_readings = 0;  ///< how far the counter rises

  [[nodiscard]] machine::gpu_clocks read() const override {
    auto now = clocks;
    if (now.pcie_replays) *now.pcie_replays += replays_between_readings * readings_++;
    return now;
  }
  [[nodiscard]] machine::gpu_settings settings() const override { return set; }
  [[nodiscard]] std::optional<std::vector<int>> nearest_nodes() const override { return {}; }
  [[nodiscard]] std::optional<bool> is_divided() const override { return divided; }

 private:
  mutable unsigned readings_ = 0;
};

struct made_up_gpu {
  gpu_facts facts;  ///< what CUDA says
  std::shared_ptr<made_up_monitor> monitor = std::make_shared<made_up_monitor>();
};

/// A machine: a tree of /proc and /sys, GPUs, and the process that looks at them.
class made_up_machine {
 public:
  process_facts process;
  std::vector<made_up_gpu> gpus;
  std::optional<std::string> why_no_cuda, why_not_measured;
  std::vector<measured_copy> copies;

  void write(const std::string& path, std::string_view content) const {
    std::filesystem::create_directories((root() / path).parent_path());
    std::ofstream(root() / path, std::ios::binary) << content;
  }
  void remove(const std::string& path) const { std::filesystem::remove_all(root() / path); }

  /// Adds a PCI device below others: "pci0000:c0/0000:c0:01.1/0000:c1:00.0". The kernel has a
  /// folder for it there, and a link to the folder.
  void add_device(const std::string& path) const {
    const auto folder = root() / "sys/devices" / path;
    std::filesystem::create_directories(folder);
    const auto links = root() / "sys/bus/pci/devices";
    std::filesystem::create_directories(links);
    std::filesystem::create_symlink(folder, links / folder.filename());
  }
  static std::string device_file(const std::string& address, const std::string& name) {
    return "sys/bus/pci/devices/" + address + "/" + name;
  }
  /// Binds a device to a driver.
  void bind(const std::string& address, const std::string& driver) const {
    const auto link = root() / device_file(address, "driver");
    std::filesystem::remove(link);
    std::filesystem::create_symlink("../../../bus/pci/drivers/" + driver, link);
  }
  void write_link(const std::string& address, int generation, int width, int generation_max = 5,
                  int width_max = 16) const {
    constexpr const char* speeds[] = {"", "2.5", "5.0", "8.0", "16.0", "32.0", "64.0"};
    const auto speed = [&](int of) { return std::string(speeds[of]) + " GT/s PCIe\n"; };
    write(device_file(address, "current_link_speed"), speed(generation));
    write(device_file(address, "current_link_width"), std::to_string(width) + "\n");
    write(device_file(address, "max_link_speed"), speed(generation_max));
    write(device_file(address, "max_link_width"), std::to_string(width_max) + "\n");
  }
  /// Adds a node of 8 CPUs.
  void add_node(int node) const {
    const auto folder = "sys/devices/system/node/node" + std::to_string(node) + "/";
    const auto first = 8 * node;
    write(folder + "cpulist", std::to_string(first) + "-" + std::to_string(first + 7) + "\n");
    write(folder + "meminfo", "Node " + std::to_string(node) + " MemTotal: 268435456 kB\n");
  }
  void add_cpus(int count, int cpus_per_socket) const {
    for (int cpu = 0; cpu < count; ++cpu) {
      const auto folder = "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/";
      write(folder + "topology/physical_package_id", std::to_string(cpu / cpus_per_socket) + "\n");
      write(folder + "cpufreq/scaling_governor", "performance\n");
      write(folder + "cpufreq/scaling_max_freq", "3800000\n");
      write(folder + "cpufreq/cpuinfo_max_freq", "3800000\n");
    }
    write("sys/devices/system/cpu/online", "0-" + std::to_string(count - 1) + "\n");
  }

  [[nodiscard]] facts collect() const {
    doctor::facts facts;
    facts.why_no_cuda = why_no_cuda;
    facts.copies = copies;
    facts.why_not_measured = why_not_measured;
    for (const auto& [known, monitor] : gpus) {
      facts.gpus.push_back(known);
      read_gpu(facts.gpus.back(), monitor.get(), root());
    }
    facts.host = read_host(machine::describe(root()), process, root());
    return facts;
  }

 private:
  [[nodiscard]] const std::filesystem::path& root() const { return folder_->path(); }

  /// In memory, where that is possible: a machine has a hundred files.
  static std::filesystem::path parent() {
    const std::filesystem::path memory = "/dev/shm";
    return exists(memory) ? memory : std::filesystem::temp_directory_path();
  }

  std::shared_ptr<common::temporary_folder> folder_ =
      std::make_shared<common::temporary_folder>(parent());
};

inline std::vector<std::size_t> cpus_from(std::size_t first, std::size_t last) {
  std::vector<std::size_t> cpus;
  for (auto cpu = first; cpu <= last; ++cpu) cpus.push_back(cpu);
  return cpus;
}

inline made_up_gpu made_up_h200(const std::string& bus_id) {
  made_up_gpu gpu;
  gpu.facts.id = "cuda:0";
  gpu.facts.name = "NVIDIA H200";
  gpu.facts.bus_id = bus_id;
  gpu.facts.under_load = true;
  gpu.facts.memory_bytes = std::size_t{141} << 30;
  gpu.facts.driver_cuda_version = "13.0";
  gpu.facts.runtime_cuda_version = "13.0";
  return gpu;
}

inline void add_what_all_have(const made_up_machine& machine) {
  machine.write("proc/self/status", "Mems_allowed_list:\t0-7\nCapEff:\t0000000000000000\n");
  machine.write("proc/self/uid_map", "0 0 4294967295\n");
  machine.write("proc/self/cgroup", "0::/\n");
  machine.write("proc/loadavg", "0.50 0.40 0.30 1/99 1234\n");
  machine.write("proc/sys/kernel/numa_balancing", "0\n");
  machine.write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
  machine.write("sys/module/nvidia/version", "580.65.06\n");
}

/// Two sockets of Intel's with a node each. The GPU has a root port of its own on the first, and
/// the process is bound to that node.
inline made_up_machine intel_machine() {
  made_up_machine machine;
  add_what_all_have(machine);
  machine.add_cpus(16, 8);
  machine.write("sys/devices/system/node/online", "0-1\n");
  machine.add_node(0);
  machine.add_node(1);
  machine.write("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  machine.add_device("pci0000:10/0000:10:01.0");
  machine.add_device("pci0000:10/0000:10:01.0/0000:11:00.0");
  machine.write_link("0000:10:01.0", 5, 16);
  machine.write_link("0000:11:00.0", 5, 16);
  machine.write(made_up_machine::device_file("0000:11:00.0", "numa_node"), "0\n");
  machine.gpus = {made_up_h200("0000:11:00.0")};
  machine.process.usable_cpus = cpus_from(0, 7);
  machine.process.policy = {machine::memory_policy::mode::bind, {0}};
  return machine;
}

/// A socket of AMD's. The GPU is below a switch, and the IOMMU passes addresses through.
inline made_up_machine amd_machine() {
  made_up_machine machine;
  add_what_all_have(machine);
  machine.add_cpus(8, 8);
  machine.write("sys/devices/system/node/online", "0\n");
  machine.add_node(0);
  machine.write("sys/devices/system/cpu/cpufreq/boost", "1\n");
  machine.add_device("pci0000:c0/0000:c0:01.1");
  machine.add_device("pci0000:c0/0000:c0:01.1/0000:c1:00.0");
  machine.add_device("pci0000:c0/0000:c0:01.1/0000:c1:00.0/0000:c2:00.0");
  machine.add_device("pci0000:c0/0000:c0:01.1/0000:c1:00.0/0000:c2:00.0/0000:c3:00.0");
  for (const auto* address : {"0000:c0:01.1", "0000:c1:00.0", "0000:c2:00.0", "0000:c3:00.0"})
    machine.write_link(address, 5, 16);
  machine.write(made_up_machine::device_file("0000:c3:00.0", "numa_node"), "0\n");
  machine.write(made_up_machine::device_file("0000:c3:00.0", "iommu_group/type"), "identity\n");
  machine.gpus = {made_up_h200("0000:c3:00.0")};
  machine.process.usable_cpus = cpus_from(0, 7);
  machine.process.policy = machine::memory_policy{};
  return machine;
}

/// A guest of KVM whose GPU hangs on a made-up bus.
inline made_up_machine virtual_machine() {
  made_up_machine machine;
  add_what_all_have(machine);
  machine.write("sys/devices/system/cpu/online", "0-7\n");
  machine.write("sys/devices/system/node/online", "0\n");
  machine.add_node(0);
  machine.add_device("pci0000:00/0000:00:06.0");
  machine.write_link("0000:00:06.0", 5, 16);
  machine.write(made_up_machine::device_file("0000:00:06.0", "numa_node"), "-1\n");
  machine.gpus = {made_up_h200("0000:00:06.0")};
  machine.process.usable_cpus = cpus_from(0, 7);
  machine.process.hypervisor = "KVM";
  return machine;
}

/// Two GPUs below one switch.
inline made_up_machine two_gpus(unsigned char acs_control) {
  auto machine = amd_machine();
  machine.add_device("pci0000:c0/0000:c0:01.1/0000:c1:00.0/0000:c2:01.0");
  machine.add_device("pci0000:c0/0000:c0:01.1/0000:c1:00.0/0000:c2:01.0/0000:c4:00.0");
  machine.write_link("0000:c2:01.0", 5, 16);
  machine.write_link("0000:c4:00.0", 5, 16);
  for (const auto* port : {"0000:c0:01.1", "0000:c1:00.0"})
    machine.write(made_up_machine::device_file(port, "config"), made_up_configuration(0));
  for (const auto* port : {"0000:c2:00.0", "0000:c2:01.0"})
    machine.write(made_up_machine::device_file(port, "config"), made_up_configuration(acs_control));
  machine.gpus.push_back(made_up_h200("0000:c4:00.0"));
  machine.gpus.back().facts.id = "cuda:1";
  return machine;
}

}  // namespace bench_transfers::doctor
