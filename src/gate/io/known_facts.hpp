#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bench_transfers::gate {

/// A fact that belongs to a fingerprint, and its path below context.transfers in a result file.
struct known_fact {
  std::string_view key;
  std::vector<const char*> path;
  bool in_gib = false;  ///< bytes, rounded to GiB
};

/// In the order of fingerprints:
///   link.generation, link.width: under load;
///   device.name, .compute_capability, .driver_version, .driver_cuda_version,
///   .runtime_cuda_version, .confidential_computing;
///   cpu.model, .numa_nodes, .cpus_allowed, .governor;
///   memory.total_gib (rounded), .transparent_hugepage_enabled, .transparent_hugepage_defrag;
///   process.numa_policy_nodes_allowed; virtualisation.hypervisor; iommu.enabled; kernel.release;
///   program.build_type: a debug build has other times;
///   settings.min_time_ms, .rounds, .random_order: they change the meaning of figures.
std::span<const known_fact> known_facts();

/// All keys that a fingerprint can have, except memory_type.*.
std::vector<std::string> fact_keys();

}  // namespace bench_transfers::gate
