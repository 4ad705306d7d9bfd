#include "src/doctor/read/collect.hpp"

#include <algorithm>
#include <string_view>

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
  const auto part = described.find(section);
  if (part == described.end() || !part->is_object()) return std::nullopt;
  const auto value = part->find(key);
  if (value == part->end()) return std::nullopt;
  if constexpr (std::is_same_v<Value, std::string>) {
    return value->is_string() ? std::optional(value->get<Value>()) : std::nullopt;
  } else if constexpr (std::is_same_v<Value, bool>) {
    return value->is_boolean() ? std::optional(value->get<Value>()) : std::nullopt;
  } else {
    return value->is_number() ? std::optional(value->get<Value>()) : std::nullopt;
  }
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

/// "570.86.15" of ".../libcuda.so.570.86.15", which this process has mapped (proc_pid_maps(5)).
std::optional<std::string> driver_library_version(const fs::path& root) {
  constexpr std::string_view name = "/libcuda.so.";
  for (const auto& line :
       machine::read_lines(root / "proc/self/maps").value_or(std::vector<std::string>{})) {
    const auto found = line.rfind(name);
    if (found == std::string::npos) continue;
    auto version = line.substr(found + name.size());
    if (version.find('.') != std::string::npos) return version;
  }
  return std::nullopt;
}

}  // namespace

process_facts read_process(const json& described) {
  return {.usable_cpus = machine::usable_cpus(),
          .policy = machine::memory_policy_of_this_thread(),
          .memlock_limit_bytes = fact<std::size_t>(described, "memory", "memlock_limit_bytes"),
          .hypervisor = fact<std::string>(described, "virtualisation", "hypervisor")};
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
  if (const auto load = described.find("load_average_1min");
      load != described.end() && load->is_number())
    host.load_average = load->get<double>();
  host.confidential_guest = confidential_guest(root);
  host.driver_version = machine::nvidia_driver_version(root);
  host.driver_library_version = driver_library_version(root);
  host.shows_pci = machine::present(root / "sys/bus/pci/devices");
  host.shows_nodes = machine::present(root / "sys/devices/system/node/online");
  host.shows_process = machine::present(root / "proc/self/status");
  return host;
}

void read_gpu(gpu_facts& gpu, const machine::gpu_monitor* monitor, const fs::path& root) {
  // First what depends on the load.
  gpu.path = topology::read_pci_view({gpu.bus_id}, root).paths.front();
  if (monitor) {
    gpu.clocks = monitor->read();
    gpu.settings = monitor->settings();
    gpu.divided = monitor->is_divided();
    gpu.node.nvml = monitor->nearest_nodes();
  }
  gpu.node.sysfs = machine::numa_node_of(gpu.bus_id, root);
  gpu.iommu_domain = machine::iommu_domain_of(gpu.bus_id, root);
  for (std::size_t i = 0; i + 1 < gpu.path.hops.size(); ++i) {
    const auto& address = gpu.path.hops[i].address;
    gpu.ports.push_back({address, machine::redirects_peers(address, root)});
  }
}

}  // namespace bench_transfers::doctor
