#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/topology/findings/registration.hpp"
#include "src/topology/pci/pci_links.hpp"

namespace bench_transfers::topology {
namespace {

using common::message;

/// The most that a device's copies have reached alone, in GB/s.
double fastest_alone(const host_map& map, std::size_t device) {
  if (device >= map.alone.size()) return 0;
  return std::max(map.alone[device].h2d.value, map.alone[device].d2h.value) / 1e9;
}

void add_slow_hops(const host_map& map, std::vector<message>& list) {
  std::map<std::string, device_set> below;
  std::map<std::string, path_link> slow;
  for (std::size_t device = 0; device < map.pci.paths.size(); ++device)
    for (const auto& link : links_of(
             map.pci.paths[device],
             {.is_guest = map.pci.is_guest, .measured_gb_per_s = fastest_alone(map, device)})) {
      below[link.lower] = below[link.lower] | device_set::of(device);
      if (link.is_below_maximum()) slow.emplace(link.lower, link);
    }
  for (const auto& [address, link] : slow)
    list.push_back({"hop_below_maximum",
                    {{"address", address},
                     {"devices", device_names(map, below[address])},
                     {"generation", link.now.generation},
                     {"width", link.now.width},
                     {"generation_max", link.most.generation},
                     {"width_max", link.most.width}},
                    fmt::format("The link above {}, on the way to {}, runs at Gen{} x{}; both ends "
                                "can do Gen{} x{}.",
                                address, names_text(map, below[address]), link.now.generation,
                                link.now.width, link.most.generation, link.most.width)});
}

const registration of_hops(subject::hops, add_slow_hops);

}  // namespace
}  // namespace bench_transfers::topology
