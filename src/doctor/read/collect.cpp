#include "src/doctor/read/collect.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "src/common/message.hpp"
#include "src/machine/files.hpp"
#include "src/machine/machine.hpp"
#include "src/machine/pci_device.hpp"

namespace bench_transfers::doctor {
namespace {

using json = nlohmann::ordered_json;
namespace fs = std::filesystem;

/// `described[section][key]`; nullopt for null and for another type.
template <class Value>
std::optional<Value> fact(const json& described, const char* section, const char* key) {
  const auto* const value = common::member(described, {section, key}).get_ptr<const Value*>();
  return value ? std::optional(*value) : std::nullopt;
}

/// Guests whose memory the host cannot read (Documentation/virt/coco): their drivers have devices,
/// which a container may hide, and Intel's CPUs a flag.
std::optional<std::string> confidential_guest(const fs::path& root) {
  if (machine::present(root / "dev/sev-guest")) return "sev";
  if (machine::present(root / "dev/tdx_guest")) return "tdx";
  const auto flags = machine::read_field(root / "proc/cpuinfo", "flags", ':');
  const auto names = machine::words(flags ? std::string_view(*flags) : std::string_view());
  if (std::ranges::find(names, "tdx_guest") != names.end()) return "tdx";
  return std::nullopt;
}

/// The file of CUDA's driver library that this process has mapped (proc_pid_maps(5)).
std::optional<std::string> driver_library(const fs::path& root) {
  for (const auto& line :
       machine::read_lines(root / "proc/self/maps").value_or(std::vector<std::string>{})) {
    const auto begin = line.find('/');
    if (begin != std::string::npos && line.find("/libcuda.so.", begin) != std::string::npos)
      return line.substr(begin);
  }
  return std::nullopt;
}

/// "570.86.15" of ".../libcuda.so.570.86.15", which the kernel may call deleted. Nullopt for what
/// is no version of a driver: on Jetson and WSL the file is libcuda.so.1.1.
std::optional<std::string> driver_version_in(const std::string& file) {
  constexpr std::size_t fewest_digits = 3;
  const auto name = file.find("libcuda.so.");
  if (name == std::string::npos) return std::nullopt;
  const auto begin = name + std::string_view("libcuda.so.").size();
  const auto end = file.find_first_not_of("0123456789.", begin);
  const auto version = file.substr(begin, end == std::string::npos ? end : end - begin);
  const auto point = version.find('.');
  if (point == std::string::npos || point < fewest_digits) return std::nullopt;
  return version;
}

/// ID and ID_LIKE of os-release(5), without quotes.
std::string distribution(const fs::path& root) {
  std::string ids;
  for (const auto* file : {"etc/os-release", "usr/lib/os-release"}) {
    for (const auto* key : {"ID", "ID_LIKE"})
      if (const auto value = machine::read_field(root / file, key, '=')) ids += " " + *value + " ";
    if (!ids.empty()) break;
  }
  std::erase(ids, '"');
  std::erase(ids, '\'');
  return ids;
}

platform_facts read_platform(const fs::path& root, const std::string& library) {
  // System Management BIOS, chassis types: portable, laptop, notebook, sub notebook, tablet,
  // convertible, detachable.
  constexpr std::array laptops{8, 9, 10, 14, 30, 31, 32};
  const auto release = machine::read_line(root / "proc/sys/kernel/osrelease").value_or("");
  const auto has = [](const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  };
  const auto model =
      machine::read_line(root / "sys/firmware/devicetree/base/compatible").value_or("");
  const auto chassis = machine::read_count(root / "sys/class/dmi/id/chassis_type");
  return {
      .wsl = has(release, "microsoft") || has(release, "Microsoft") ||
             machine::present(root / "dev/dxg") || has(library, "/wsl/"),
      .jetson = machine::present(root / "etc/nv_tegra_release") || has(model, "nvidia,tegra") ||
                has(library, "/tegra/") || has(library, "/nvidia/libcuda.so.1.1"),
      .arm = machine::read_field(root / "proc/cpuinfo", "CPU implementer", ':').has_value() ||
             has(library, "aarch64"),
      .laptop = chassis && std::ranges::find(laptops, static_cast<int>(*chassis)) != laptops.end(),
      .distribution = distribution(root)};
}

gpu_counters counters_of(const machine::gpu_clocks& clocks, const machine::gpu_settings& settings) {
  return {clocks.pcie_replays, settings.uncorrected_errors};
}

}  // namespace

process_facts read_process(const json& described) {
  return {.usable_cpus = machine::usable_cpus(),
          .policy = machine::memory_policy_of_this_thread(),
          .memlock_limit_bytes = fact<std::size_t>(described, "memory", "memlock_limit_bytes"),
          .hypervisor = fact<std::string>(described, "virtualisation", "hypervisor"),
          .built_with_nvml = machine::built_with_nvml()};
}

host_facts read_host(const json& described, const process_facts& process, const fs::path& root) {
  host_facts host;
  host.process = process;
  host.container = fact<std::string>(described, "process", "container");
  host.nodes = machine::numa_nodes(root, process.usable_cpus);
  host.sockets = fact<std::size_t>(described, "cpu", "sockets");
  host.cpus_online = fact<std::size_t>(described, "cpu", "logical_cpus_online");
  host.governor = fact<std::string>(described, "cpu", "governor");
  host.cpu_speed = machine::read_cpu_speed(root);
  host.numa_balancing = machine::read_count(root / "proc/sys/kernel/numa_balancing");
  host.huge_pages = fact<std::string>(described, "memory", "transparent_hugepage_enabled");
  host.memlock_limit_applies = fact<bool>(described, "memory", "memlock_limit_applies");
  host.cpu_quota = machine::cpu_quota_of_this_process(root);
  host.memory_limit_bytes = fact<std::size_t>(described, "memory", "cgroup_limit_bytes");
  if (const auto& load = common::member(described, {"load_average_1min"}); load.is_number())
    host.load_average = load.get<double>();
  host.confidential_guest = confidential_guest(root);
  host.driver_version = machine::nvidia_driver_version(root);
  const auto library = driver_library(root);
  if (library) host.driver_library_version = driver_version_in(*library);
  host.platform = read_platform(root, library.value_or(""));
  host.aspm_policy = machine::aspm_policy(root);
  host.shows_pci = machine::present(root / "sys/bus/pci/devices");
  host.shows_nodes = machine::present(root / "sys/devices/system/node/online");
  host.shows_process = machine::present(root / "proc/self/status");
  return host;
}

gpu_counters read_counters(const machine::gpu_monitor& monitor) {
  return counters_of(monitor.read(), monitor.settings());
}

void read_gpu(gpu_facts& gpu, const machine::gpu_monitor* monitor, const fs::path& root) {
  // First what depends on the load.
  gpu.path = topology::read_pci_view({gpu.bus_id}, root).paths.front();
  if (monitor) {
    gpu.clocks = monitor->read();
    gpu.settings = monitor->settings();
    if (!gpu.counters_before) gpu.counters_before = counters_of(*gpu.clocks, *gpu.settings);
    gpu.divided = monitor->is_divided();
    gpu.node.nvml = monitor->nearest_nodes();
  }
  gpu.node.sysfs = machine::numa_node_of(gpu.bus_id, root);
  gpu.iommu_domain = machine::iommu_domain_of(gpu.bus_id, root);
  gpu.in_sysfs = !gpu.path.hops.empty();
  gpu.bound_driver = machine::driver_of(gpu.bus_id, root);
  gpu.unassigned_bars = machine::unassigned_bars(gpu.bus_id, root);
  gpu.power = machine::power_saving_of(gpu.bus_id, root);
  gpu.settings_of_link = machine::pcie_settings_of(gpu.bus_id, root);
  for (std::size_t i = 0; i + 1 < gpu.path.hops.size(); ++i) {
    const auto& address = gpu.path.hops[i].address;
    gpu.ports.push_back({address, machine::redirects_peers(address, root),
                         machine::power_saving_of(address, root)});
  }
  if (monitor) gpu.counters_after = read_counters(*monitor);
}

}  // namespace bench_transfers::doctor
