#include "src/topology/pci/pci_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "src/machine/files.hpp"

namespace bench_transfers::topology {
namespace {

namespace fs = std::filesystem;

pci_hop read_hop(const std::string& address, const fs::path& root) {
  return {address, machine::read_pcie_link(address, root), machine::numa_node_of(address, root),
          machine::read_line(machine::pci_device_folder(address, root) / "local_cpulist")};
}

/// The kernel's folders are nested as the devices are: pci0000:c0/0000:c0:01.1/0000:c1:00.0.
pci_path read_path(const std::string& bus_id, const fs::path& root) {
  pci_path path{bus_id, {}, {}};
  std::error_code error;
  const auto folder = fs::canonical(machine::pci_device_folder(bus_id, root), error);
  if (error) return path;
  for (const auto& part : folder) {
    const auto name = part.string();
    if (name.starts_with("pci") && path.hops.empty()) path.root_complex = name;
    if (machine::normalised_bus_id(name) == name) path.hops.push_back(read_hop(name, root));
  }
  return path;
}

/// The places of a device, the nearest first.
std::vector<common_place> places_of_device(const pci_path& path) {
  std::vector<common_place> places;
  if (path.hops.empty()) return places;
  for (auto hop = path.hops.rbegin() + 1; hop != path.hops.rend(); ++hop)
    places.push_back({place_kind::port, hop->address, hop->link});
  if (!path.root_complex.empty())
    places.push_back({place_kind::root_complex, path.root_complex, std::nullopt});
  if (const auto node = path.hops.back().numa_node)
    places.push_back({place_kind::numa_node, fmt::format("{}", *node), std::nullopt});
  return places;
}

device_set devices_at(const pci_view& view, const common_place& place) {
  device_set devices;
  for (std::size_t device = 0; device < view.paths.size(); ++device)
    for (const auto& other : places_of_device(view.paths[device]))
      if (other.kind == place.kind && other.name == place.name)
        devices = devices | device_set::of(device);
  return devices;
}

}  // namespace

pci_view read_pci_view(const std::vector<std::string>& bus_ids, const fs::path& root) {
  pci_view view;
  for (const auto& bus_id : bus_ids) view.paths.push_back(read_path(bus_id, root));
  view.visible = !view.paths.empty() && std::ranges::all_of(view.paths, [](const pci_path& path) {
    return path.hops.size() >= 2;
  });
  return view;
}

std::vector<common_place> places_of(const pci_view& view, device_set devices) {
  if (!view.visible || devices.empty() || devices.front() >= view.paths.size()) return {};
  auto places = places_of_device(view.paths[devices.front()]);
  std::erase_if(places, [&](const auto& place) { return devices_at(view, place) != devices; });
  return places;
}

std::vector<device_set> sets_below_places(const pci_view& view) {
  if (!view.visible) return {};
  std::set<device_set> sets;
  for (const auto& path : view.paths)
    for (const auto& place : places_of_device(path)) sets.insert(devices_at(view, place));
  std::erase_if(sets, [](device_set set) { return set.size() < 2; });
  return {sets.begin(), sets.end()};
}

const char* to_string(place_kind kind) {
  switch (kind) {
    case place_kind::port: return "port";
    case place_kind::root_complex: return "root_complex";
    case place_kind::numa_node: return "numa_node";
  }
  return "";
}

}  // namespace bench_transfers::topology
