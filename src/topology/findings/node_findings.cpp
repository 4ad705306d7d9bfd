#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <utility>

#include "src/topology/findings/registration.hpp"
#include "src/topology/infer/near_nodes.hpp"

namespace bench_transfers::topology {
namespace {

using common::message;
using json = nlohmann::ordered_json;

/// Devices with the same near and far node.
struct group_of_node {
  int near, far;
  device_set devices;
};

/// Means over the devices of a group.
struct compared_rates {
  double near = 0, far = 0;
  statistics::estimate lost;
};

compared_rates mean_of(const host_map& map, device_set devices, direction way) {
  compared_rates mean;
  const auto count = static_cast<double>(devices.size());
  for (const auto device : devices.members()) {
    const auto nodes = *compare_nodes(map, device);
    mean.near += map.nodes[nodes.near].rates[device]->of(way).value / count;
    mean.far += map.nodes[nodes.far].rates[device]->of(way).value / count;
    mean.lost.value += nodes.of(way).value / count;
    mean.lost.low += nodes.of(way).low / count;
    mean.lost.high += nodes.of(way).high / count;
  }
  return mean;
}

json to_json(const compared_rates& rates) {
  return {
      {"near", rates.near},
      {"far", rates.far},
      {"lost", {{"value", rates.lost.value}, {"low", rates.lost.low}, {"high", rates.lost.high}}}};
}

message near_node(const host_map& map, const group_of_node& group) {
  const auto h2d = mean_of(map, group.devices, direction::h2d);
  const auto d2h = mean_of(map, group.devices, direction::d2h);
  const bool loads = effect_of(h2d.lost) == node_effect::matters;
  const auto& told = loads ? h2d : d2h;
  return {"near_node",
          {{"devices", device_names(map, group.devices)},
           {"node", group.near},
           {"far_node", group.far},
           {"h2d", to_json(h2d)},
           {"d2h", to_json(d2h)}},
          fmt::format("{} {} {} memory of NUMA node {}: {} GB/s{} against {} with node {}, "
                      "{:.1f} % [{:.1f}, {:.1f}] less.",
                      loads ? "Load" : "Let", names_text(map, group.devices),
                      loads ? "from" : "write to", group.near, rate_text(told.near),
                      group.devices.size() > 1 ? " each" : "", rate_text(told.far), group.far,
                      100 * told.lost.value, 100 * told.lost.low, 100 * told.lost.high)};
}

/// Returns the devices that were measured with several nodes.
device_set add_measured(const host_map& map, std::vector<message>& list) {
  std::map<std::pair<int, int>, device_set> groups;
  device_set alike;
  device_set unclear;
  device_set measured;
  for (std::size_t device = 0; device < map.devices.size(); ++device) {
    const auto nodes = compare_nodes(map, device);
    if (!nodes) continue;
    measured = measured | device_set::of(device);
    const auto effect = effect_of(*nodes);
    auto& devices = effect == node_effect::matters
                        ? groups[{map.nodes[nodes->near].node, map.nodes[nodes->far].node}]
                    : effect == node_effect::none ? alike
                                                  : unclear;
    devices = devices | device_set::of(device);
  }
  for (const auto& [nodes, devices] : groups)
    list.push_back(near_node(map, {nodes.first, nodes.second, devices}));
  if (!alike.empty())
    list.push_back({"nodes_alike",
                    {{"devices", device_names(map, alike)}},
                    fmt::format("For {} it does not matter on which NUMA node memory lies.",
                                names_text(map, alike))});
  if (!unclear.empty())
    list.push_back({"nodes_unclear",
                    {{"devices", device_names(map, unclear)}},
                    fmt::format("For {} it is not known whether it matters on which NUMA node "
                                "memory lies: the rates differ less than they vary.",
                                names_text(map, unclear))});
  return measured;
}

void add_seen(const host_map& map, device_set measured, std::vector<message>& list) {
  std::map<int, device_set> nodes;
  for (std::size_t device = 0; device < map.pci.paths.size(); ++device)
    if (const auto& hops = map.pci.paths[device].hops; !hops.empty() && hops.back().numa_node)
      nodes[*hops.back().numa_node] = nodes[*hops.back().numa_node] | device_set::of(device);
  if (nodes.size() < 2) return;
  for (const auto& [node, near] : nodes) {
    const auto devices = near - measured;
    if (devices.empty()) continue;
    list.push_back(
        {"near_node",
         {{"devices", device_names(map, devices)}, {"node", node}},
         fmt::format("Load {} from memory of NUMA node {}, which is next to {}.",
                     names_text(map, devices), node, devices.size() == 1 ? "it" : "them")});
  }
}

void add_unmeasured(const host_map& map, std::vector<message>& list) {
  std::map<std::string, std::vector<int>> nodes;
  for (const auto& entry : map.nodes)
    if (!entry.why_not.empty()) nodes[entry.why_not].push_back(entry.node);
  for (const auto& [why_not, numbers] : nodes)
    list.push_back({"node_not_measured",
                    {{"nodes", numbers}, {"why_not", why_not}},
                    fmt::format("Memory of NUMA node{} {} was not measured with all devices: {}.",
                                numbers.size() > 1 ? "s" : "", fmt::join(numbers, ", "), why_not)});
}

/// Which memory each device should use, by what was measured, and for other devices by what the
/// kernel says.
void add_node_findings(const host_map& map, std::vector<message>& list) {
  const auto measured = add_measured(map, list);
  add_seen(map, measured, list);
  add_unmeasured(map, list);
}

const registration of_nodes(subject::nodes, add_node_findings);

}  // namespace
}  // namespace bench_transfers::topology
