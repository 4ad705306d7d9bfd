#include "src/doctor/path_links.hpp"

#include <algorithm>
#include <optional>

#include "src/common/message.hpp"

namespace bench_transfers::doctor {

std::vector<topology::path_link> links_of(const facts& facts, const gpu_facts& gpu) {
  if (!gpu.on_pcie) return {};
  topology::path_knowledge known{.is_guest = facts.host.process.hypervisor.has_value(),
                                 .gpu_link = gpu.settings ? gpu.settings->link : std::nullopt};
  for (const auto& copy : facts.copies)
    if (copy.gpu == gpu.id)
      known.measured_gb_per_s = std::max(known.measured_gb_per_s, copy.gb_per_s);
  return topology::links_of(gpu.path, known);
}

std::pair<double, double> packet_limit_of(const gpu_facts& gpu, const topology::path_link& link) {
  return machine::pcie_packet_limit_gb_per_s({.generation = link.now.generation,
                                              .width = link.now.width,
                                              .generation_max = link.most.generation,
                                              .width_max = link.most.width,
                                              .settings = gpu.settings_of_link});
}

nlohmann::ordered_json to_json(const topology::path_link& link) {
  return {{"upper", common::or_null(link.upper)},   {"lower", link.lower},
          {"generation", link.now.generation},      {"width", link.now.width},
          {"generation_max", link.most.generation}, {"width_max", link.most.width}};
}

}  // namespace bench_transfers::doctor
