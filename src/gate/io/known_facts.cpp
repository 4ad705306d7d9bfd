#include "src/gate/io/known_facts.hpp"

#include "src/gate/model/identity.hpp"

namespace bench_transfers::gate {

std::span<const known_fact> known_facts() {
  static const std::vector<known_fact> facts{
      {"link.generation", {"link", "generation"}},
      {"link.width", {"link", "width"}},
      {"device.name", {"device", "name"}},
      {"device.compute_capability", {"device", "compute_capability"}},
      {"device.driver_version", {"device", "driver_version"}},
      {"device.driver_cuda_version", {"device", "driver_cuda_version"}},
      {"device.runtime_cuda_version", {"device", "runtime_cuda_version"}},
      {"device.confidential_computing", {"device", "confidential_computing"}},
      {"cpu.model", {"machine", "cpu", "model"}},
      {"cpu.numa_nodes", {"machine", "cpu", "numa_nodes"}},
      {"cpu.cpus_allowed", {"machine", "cpu", "cpus_allowed"}},
      {"cpu.governor", {"machine", "cpu", "governor"}},
      {"memory.total_gib", {"machine", "memory", "total_bytes"}, known_fact::form::gib},
      {"memory.transparent_hugepage_enabled",
       {"machine", "memory", "transparent_hugepage_enabled"}},
      {"memory.transparent_hugepage_defrag", {"machine", "memory", "transparent_hugepage_defrag"}},
      {"process.numa_policy_nodes_allowed", {"machine", "process", "numa_policy_nodes_allowed"}},
      {"virtualisation.hypervisor", {"machine", "virtualisation", "hypervisor"}},
      {"iommu.enabled", {"machine", "iommu", "enabled"}},
      {"kernel.release", {"machine", "kernel", "release"}},
      {"imported.program", {"imported", "program"}},
      {"program.build_type", {"program", "build_type"}},
      {"program.cuda_toolkit", {"program", "cuda_toolkit"}},
      {"settings.min_time_ms", {"run", "min_time_ms"}},
      {"settings.rounds", {"run", "rounds"}},
      {"settings.processes", {"run", "processes"}, known_fact::form::plain, "1"},
      {"settings.random_order", {"run", "random_order"}}};
  return facts;
}

std::span<const known_fact> facts_of_other_programs() {
  static const std::vector<known_fact> facts{{"num_cpus", {"num_cpus"}},
                                             {"mhz_per_cpu", {"mhz_per_cpu"}},
                                             {"caches", {"caches"}, known_fact::form::list},
                                             {"cpu_scaling_enabled", {"cpu_scaling_enabled"}},
                                             {"library_build_type", {"library_build_type"}}};
  return facts;
}

std::vector<std::string> fact_keys() {
  std::vector<std::string> keys;
  for (const auto& facts : {known_facts(), facts_of_other_programs()})
    for (const auto& fact : facts) keys.emplace_back(fact.key);
  keys.emplace_back("devices");  // of runs of several
  keys.insert(keys.end(), identity_keys.begin(), identity_keys.end());
  return keys;
}

}  // namespace bench_transfers::gate
