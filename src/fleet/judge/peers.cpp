#include "src/fleet/judge/peers.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace bench_transfers::fleet {

std::vector<std::string> slots_of(const sweep& sweep) {
  std::map<std::string, std::vector<std::size_t>> nodes;
  for (std::size_t gpu = 0; gpu < sweep.gpus.size(); ++gpu)
    nodes[sweep.gpus[gpu].node].push_back(gpu);
  std::size_t most = 1;
  for (const auto& [node, gpus] : nodes) most = std::max(most, gpus.size());
  std::vector<std::string> names(sweep.gpus.size());
  const auto rank_of = [&](std::size_t gpu) { return sweep.gpus[gpu].rank; };
  for (auto& [node, gpus] : nodes) {
    std::ranges::stable_sort(gpus, {}, rank_of);
    // Ranks that follow each other tell the number also where one of them has left no results.
    const bool has_ranks = rank_of(gpus.front()).has_value();
    const bool follow = has_ranks && *rank_of(gpus.front()) / most == *rank_of(gpus.back()) / most;
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      const auto& address = sweep.gpus[gpus[i]].slot;
      const auto number = follow ? *rank_of(gpus[i]) % most : i;
      names[gpus[i]] = address.empty() ? std::to_string(number) : address;
    }
  }
  return names;
}

std::vector<peers> peers_of(const sweep& sweep) {
  std::map<std::string, peers> models;
  std::map<std::string, std::map<std::string, std::size_t>> nodes, racks, slots;
  const auto names = slots_of(sweep);
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
    const auto in_slot = slots[model].emplace(names[gpu], alike.slots.size());
    if (in_slot.second) alike.slots.push_back({names[gpu], {}});
    alike.slots[in_slot.first->second].gpus.push_back(alike.gpus.size());
    alike.nodes[known->second].push_back(alike.gpus.size());
    alike.gpus.push_back(gpu);
  }
  std::vector<peers> list;
  for (auto& [model, alike] : models) list.push_back(std::move(alike));
  return list;
}

}  // namespace bench_transfers::fleet
