#include "src/topology/findings/words.hpp"

#include <fmt/format.h>

namespace bench_transfers::topology {

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
