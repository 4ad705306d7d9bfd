#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "src/machine/cpu_times.hpp"

namespace bench_transfers::machine {

/// A node of this computer: memory, and CPUs that are near it. Either may be missing.
struct numa_node {
  int number = 0;
  std::optional<std::size_t> memory_bytes;  ///< nullopt: not known
  bool memory_allowed = true;               ///< by the process's cpuset (cpuset(7))
  std::vector<std::size_t> cpus;            ///< online ones
  std::vector<std::size_t> usable_cpus;     ///< those of them that the calling thread may use
  /// To each node, in the order of the list; 10 is the node itself (ACPI, SLIT). Empty: not known.
  std::vector<std::size_t> distances;

  /// Whether this process can place memory there.
  [[nodiscard]] bool has_usable_memory() const { return memory_allowed && memory_bytes != 0U; }
};

/// The nodes that are online, by their numbers. A kernel without NUMA, or a container that hides
/// sysfs, has one node 0 with all CPUs and all memory.
std::vector<numa_node> numa_nodes(const std::filesystem::path& root = "/",
                                  const std::vector<std::size_t>& usable = usable_cpus());

/// An entry for each node, with lists of CPUs as the kernel writes them.
nlohmann::ordered_json describe_numa(const std::filesystem::path& root = "/");

/// What each source says about the host's node that a GPU is nearest to. Nullopt: nothing.
struct nearest_node {
  std::optional<int> sysfs;              ///< numa_node of the PCI device
  std::optional<int> cuda;               ///< cudaDevAttrHostNumaId
  std::optional<std::vector<int>> nvml;  ///< nvmlDeviceGetMemoryAffinity, a set of nodes

  /// The node that all sources name which name one; nullopt if there is none or they differ:
  /// firmware and hypervisors err.
  [[nodiscard]] std::optional<int> agreed() const;
};

nlohmann::ordered_json to_json(const nearest_node& sources);

}  // namespace bench_transfers::machine
