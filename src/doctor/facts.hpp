#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/machine/cgroups.hpp"
#include "src/machine/clocks.hpp"
#include "src/machine/cpu_speed.hpp"
#include "src/machine/gpu_monitor.hpp"
#include "src/machine/memory_policy.hpp"
#include "src/machine/numa.hpp"
#include "src/machine/pci_device.hpp"
#include "src/machine/pcie.hpp"
#include "src/topology/pci/pci_view.hpp"

// Everything that the checks judge by, collected once. Nullopt: the machine does not tell.

namespace bench_transfers::doctor {

/// What system calls and the CPU itself tell of this process and its computer.
struct process_facts {
  std::vector<std::size_t> usable_cpus = {};
  std::optional<machine::memory_policy> policy = {};
  std::optional<std::size_t> memlock_limit_bytes = {};  ///< nullopt: no limit
  std::optional<std::string> hypervisor = {};           ///< nullopt: none
  bool built_with_nvml = true;                          ///< this program asks NVML
  /// Of the CPU quota, before the copies (machine::cpu_quota::throttled_periods).
  std::optional<std::size_t> throttled_periods_before = {};
};

/// What decides which remedies are possible here.
struct platform_facts {
  bool wsl = false;     ///< Linux inside of Windows, in a container or not
  bool jetson = false;  ///< NVIDIA's modules: the driver is a part of the system
  bool arm = false;
  bool laptop = false;
  /// ID and ID_LIKE of os-release(5): "ubuntu debian". In a container those of its image.
  std::string distribution = {};
};

struct host_facts {
  process_facts process = {};
  platform_facts platform = {};
  std::optional<std::string> container = {};
  std::vector<machine::numa_node> nodes = {};
  std::optional<std::size_t> sockets = {}, cpus_online = {};
  std::optional<std::string> governor = {};
  machine::cpu_speed cpu_speed = {};
  std::optional<std::size_t> numa_balancing = {};  ///< 0: off
  std::optional<std::string> huge_pages = {};      ///< "always", "madvise", "never"
  std::optional<bool> memlock_limit_applies = {};
  std::optional<machine::cpu_quota> cpu_quota = {};
  std::optional<std::size_t> memory_limit_bytes = {};  ///< of the control groups
  std::optional<double> load_average = {};
  std::optional<std::string> confidential_guest = {};      ///< "tdx", "sev"
  std::optional<std::string> driver_version = {};          ///< of the kernel's module
  std::optional<std::string> driver_library_version = {};  ///< of libcuda in this process
  std::optional<std::string> aspm_policy = {};             ///< of the kernel: "default"
  bool shows_pci = false, shows_nodes = false, shows_process = false;
};

/// A port above a GPU.
struct port_facts {
  std::string address;
  std::optional<bool> redirects_peers = {};
  machine::power_saving power = {};
};

/// What counts up for as long as the driver is loaded.
struct gpu_counters {
  std::optional<unsigned> pcie_replays = {};
  std::optional<unsigned long long> uncorrected_errors = {};
};

struct gpu_facts {
  std::string id;  ///< "cuda:0"; the PCI address of a GPU that CUDA does not open
  std::string name;
  std::string bus_id;
  bool under_load = false;  ///< copies kept it busy when link and clocks were read
  bool on_pcie = true;      ///< neither integrated nor on a coherent link
  std::size_t memory_bytes = 0;
  std::string driver_cuda_version = {}, runtime_cuda_version = {};
  topology::pci_path path = {};
  std::vector<port_facts> ports = {};
  machine::nearest_node node = {};
  std::optional<std::string> iommu_domain = {};
  std::optional<machine::gpu_clocks> clocks = {};
  std::optional<machine::gpu_settings> settings = {};  ///< nullopt: no NVML
  std::optional<bool> divided = {};                    ///< into instances (MIG)
  /// Before the copies and during or after them: only what has changed says something of now.
  std::optional<gpu_counters> counters_before = {};
  gpu_counters counters_after = {};
  bool in_sysfs = false;                         ///< the kernel shows it on the PCI bus
  std::optional<std::string> bound_driver = {};  ///< nullopt: none holds it, or it is not shown
  std::vector<int> unassigned_bars = {};
  machine::power_saving power = {};
  std::optional<machine::pcie_settings> settings_of_link = {};
};

enum class direction { h2d, d2h };

/// Copies of pinned memory that were measured, alone.
struct measured_copy {
  std::string gpu;
  direction towards;
  std::size_t bytes;
  double gb_per_s;
};

struct facts {
  host_facts host = {};
  std::vector<gpu_facts> gpus = {};
  /// Why CUDA opened no GPU; nullopt if it did.
  std::optional<std::string> why_no_cuda = {};
  std::vector<measured_copy> copies = {};  ///< empty if nothing was measured
  std::optional<std::string> why_not_measured = {};
};

}  // namespace bench_transfers::doctor
