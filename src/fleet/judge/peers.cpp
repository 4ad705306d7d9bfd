#include "src/fleet/judge/peers.hpp"

#include <map>

namespace bench_transfers::fleet {

std::vector<peers> peers_of(const sweep& sweep) {
  std::map<std::string, peers> models;
  std::map<std::string, std::map<std::string, std::size_t>> nodes, racks;
  for (std::size_t gpu = 0; gpu < sweep.gpus.size(); ++gpu) {
    const auto& [model, node, rack] =
        std::tie(sweep.gpus[gpu].model, sweep.gpus[gpu].node, sweep.gpus[gpu].rack);
    auto& alike = models[model];
    alike.model = model;
    const auto [known, is_new] = nodes[model].emplace(node, alike.nodes.size());
    if (is_new) {
      alike.nodes.emplace_back();
      if (!rack.empty()) {
        const auto in_rack = racks[model].emplace(rack, alike.racks.size());
        if (in_rack.second) alike.racks.emplace_back();
        alike.racks[in_rack.first->second].push_back(known->second);
      }
    }
    alike.nodes[known->second].push_back(alike.gpus.size());
    alike.gpus.push_back(gpu);
  }
  std::vector<peers> list;
  for (auto& [model, alike] : models) list.push_back(std::move(alike));
  return list;
}

}  // namespace bench_transfers::fleet
