#include "bench/cli/neighbours.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace bench_transfers::bench {
namespace {

using result_file::set_kind;
using topology::place_kind;

/// The port nearest to the host that has exactly these devices, otherwise the root complex.
std::optional<std::string> port_of(const topology::pci_view& view, topology::device_set devices) {
  std::optional<std::string> port;
  for (const auto& place : places_of(view, devices))
    if (place.kind == place_kind::port || (place.kind == place_kind::root_complex && !port))
      port = place.name;
  return port;
}

/// The devices next to each node; empty if the node of a device is not known.
std::map<int, std::vector<std::size_t>> devices_by_node(const topology::pci_view& view) {
  std::map<int, std::vector<std::size_t>> by_node;
  for (std::size_t i = 0; i < view.paths.size(); ++i) {
    const auto& hops = view.paths[i].hops;
    if (hops.empty() || !hops.back().numa_node) return {};
    by_node[*hops.back().numa_node].push_back(i);
  }
  return by_node;
}

}  // namespace

std::vector<neighbours> neighbours_of(const topology::pci_view& view) {
  std::vector<neighbours> list;
  const auto add = [&](set_kind kind, std::string place, std::vector<std::size_t> devices) {
    if (devices.size() > 1 && devices.size() < view.paths.size())
      list.push_back({{kind, std::move(place)}, std::move(devices)});
  };
  for (const auto& [node, devices] : devices_by_node(view))
    add(set_kind::node, std::to_string(node), devices);
  for (const auto devices : sets_below_places(view))
    if (auto port = port_of(view, devices))
      add(set_kind::port, std::move(*port), devices.members());
  return list;
}

host_layout layout_of(const devices_choice& devices, std::vector<machine::numa_node> nodes) {
  return {devices.ids, neighbours_of(pci_view_of(devices)), std::move(nodes)};
}

}  // namespace bench_transfers::bench
