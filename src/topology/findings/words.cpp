#include "src/topology/findings/words.hpp"

#include <fmt/format.h>

namespace bench_transfers::topology {

nlohmann::ordered_json names_json(const host_map& map, device_set devices) {
  auto list = nlohmann::ordered_json::array();
  for (const auto device : devices.members()) list.push_back(map.devices[device]);
  return list;
}

std::string names_text(const host_map& map, device_set devices) {
  const auto members = devices.members();
  if (members.empty()) return "no device";
  const auto last = map.devices[members.back()];
  const auto first = map.devices[members.front()];
  if (members.size() == 1) return last;
  if (members.size() > 2 && members.back() - members.front() + 1 == members.size())
    return fmt::format("{} to {}", first, last);
  std::string text = first;
  for (std::size_t i = 1; i + 1 < members.size(); ++i) text += ", " + map.devices[members[i]];
  return text + " and " + last;
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
