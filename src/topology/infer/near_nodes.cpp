#include "src/topology/infer/near_nodes.hpp"

#include <algorithm>
#include <cmath>

#include "src/topology/infer/evidence.hpp"

namespace bench_transfers::topology {
namespace {

/// Twice, because what repetitions have in common shows only between sets.
constexpr int rounds = 2;

std::string why_not(const machine::numa_node& node) {
  if (node.memory_bytes == 0U) return "it has no memory";
  if (!node.memory_allowed) return "this process may not use it";
  if (node.cpus.empty()) return "it has no CPUs";
  if (node.usable_cpus.empty()) return "this process may not use its CPUs";
  return {};
}

std::vector<flow_set> one_way_sets(std::size_t devices) {
  std::vector<flow_set> sets;
  for (std::size_t device = 0; device < devices; ++device)
    for (const auto kind : {traffic::h2d, traffic::d2h})
      sets.push_back(flows_of(device_set::of(device), kind));
  return sets;
}

std::optional<statistics::estimate> mean_rate(const evidence& evidence, const flow_set& flows) {
  double total = 0;
  double count = 0;
  double repeated = 0;
  for (const auto& set : evidence.sets()) {
    if (set.flows != flows) continue;
    total += set.rates.sum(flows);
    repeated += set.repetitions;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return evidence.noise().interval(total / count,
                                   evidence.noise().variance(repeated / count) / count);
}

node_rates rates_of(int node, std::size_t devices, const std::vector<observation>& observations) {
  const evidence measured(devices, observations);
  node_rates result{node, {}, {}};
  for (std::size_t device = 0; device < devices; ++device) {
    const auto h2d = mean_rate(measured, flows_of(device_set::of(device), traffic::h2d));
    const auto d2h = mean_rate(measured, flows_of(device_set::of(device), traffic::d2h));
    result.rates.push_back(h2d && d2h ? std::optional(node_rate{*h2d, *d2h}) : std::nullopt);
  }
  for (const auto& observed : observations)
    if (observed.rates.empty() && result.why_not.empty()) result.why_not = observed.why_not;
  return result;
}

statistics::estimate lost(const statistics::estimate& near, const statistics::estimate& far) {
  if (near.value <= 0) return {};
  const auto kept = far.value / near.value;
  const auto half = std::hypot((far.high - far.low) / 2 / near.value,
                               kept * (near.high - near.low) / 2 / near.value);
  return {1 - kept, 1 - kept - half, 1 - kept + half};
}

double total_of(const node_rate& rate) { return rate.h2d.value + rate.d2h.value; }

}  // namespace

std::vector<node_rates> rates_by_node(std::size_t devices,
                                      const std::vector<machine::numa_node>& nodes,
                                      const node_measure_function& measure) {
  const auto usable = [](const machine::numa_node& node) { return why_not(node).empty(); };
  if (std::ranges::count_if(nodes, usable) < 2) return {};
  std::vector<std::vector<observation>> observations(nodes.size());
  for (int round = 0; round < rounds; ++round)
    for (const auto& flows : one_way_sets(devices))
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!usable(nodes[i])) continue;
        observations[i].push_back(measure(nodes[i].number, flows));
        observations[i].back().flows = flows;
      }
  std::vector<node_rates> rates;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    rates.push_back(rates_of(nodes[i].number, devices, observations[i]));
    if (!usable(nodes[i])) rates.back().why_not = why_not(nodes[i]);
  }
  return rates;
}

node_effect effect_of(const statistics::estimate& lost) {
  // Memory on another node is worth a word if it costs this part of the rate or more.
  constexpr double least_lost = 0.025;
  if (lost.value >= least_lost && sign_of(lost) > 0) return node_effect::matters;
  return lost.high < least_lost ? node_effect::none : node_effect::unknown;
}

node_effect effect_of(const near_and_far& nodes) {
  const auto h2d = effect_of(nodes.h2d);
  const auto d2h = effect_of(nodes.d2h);
  if (h2d == node_effect::matters || d2h == node_effect::matters) return node_effect::matters;
  return h2d == d2h ? h2d : node_effect::unknown;
}

std::optional<near_and_far> compare_nodes(const host_map& map, std::size_t device) {
  std::vector<std::size_t> measured;
  for (std::size_t i = 0; i < map.nodes.size(); ++i)
    if (map.nodes[i].rates[device]) measured.push_back(i);
  if (measured.size() < 2) return std::nullopt;
  const auto [far, near] = std::ranges::minmax(
      measured, {}, [&](std::size_t i) { return total_of(*map.nodes[i].rates[device]); });
  const auto& near_rate = *map.nodes[near].rates[device];
  const auto& far_rate = *map.nodes[far].rates[device];
  return near_and_far{near, far, lost(near_rate.h2d, far_rate.h2d),
                      lost(near_rate.d2h, far_rate.d2h)};
}

}  // namespace bench_transfers::topology
