#include "src/topology/findings/words.hpp"

#include <fmt/format.h>

#include "src/common/text.hpp"

namespace bench_transfers::topology {

std::vector<std::string> device_names(const host_map& map, device_set devices) {
  std::vector<std::string> names;
  for (const auto device : devices.members()) names.push_back(map.devices[device]);
  return names;
}

std::string names_text(const host_map& map, device_set devices) {
  if (devices.empty()) return "no device";
  const auto members = devices.members();
  const auto names = device_names(map, devices);
  if (members.size() > 2 && members.back() - members.front() + 1 == members.size())
    return fmt::format("{} to {}", names.front(), names.back());
  return common::in_sentence(names);
}

std::optional<common_place> best_place(const host_map& map, device_set devices) {
  const auto places = places_of(map.pci, devices);
  std::optional<common_place> best;
  for (const auto& place : places)
    if (!best || place.kind == place_kind::port) best = place;
  return best;
}

std::string rate_text(double bytes_per_second) {
  const auto gb_per_s = bytes_per_second / 1e9;
  return gb_per_s > 0 && gb_per_s < 1 ? fmt::format("{:#.3g}", gb_per_s)
                                      : fmt::format("{:.1f}", gb_per_s);
}

const char* direction_text(traffic kind) {
  switch (kind) {
    case traffic::h2d: return "from the host";
    case traffic::d2h: return "to the host";
    case traffic::both: return "both ways";
  }
  return "";
}

std::string place_text(const common_place& place) {
  switch (place.kind) {
    case place_kind::port:
      return place.link ? fmt::format("port {}, Gen{} x{}", place.name, place.link->generation,
                                      place.link->width)
                        : fmt::format("port {}", place.name);
    case place_kind::root_complex: return fmt::format("root complex {}", place.name);
    case place_kind::numa_node: return fmt::format("NUMA node {}", place.name);
  }
  return {};
}

std::string nominal_text(const machine::pcie_link& link) {
  const auto [low, high] = machine::pcie_packet_limit_gb_per_s(link);
  return fmt::format("Gen{} x{}, nominally {:.1f} to {:.1f} GB/s", link.generation, link.width, low,
                     high);
}

}  // namespace bench_transfers::topology
