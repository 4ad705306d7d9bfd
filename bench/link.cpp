#include "link.hpp"

#include <cmath>

#include "transfers/error.hpp"

namespace bench {

std::optional<machine::pcie_link> observe_link(transfers::device& device) {
  const auto& cuda = device.description().cuda;
  if (!cuda || cuda->integrated || cuda->host_page_tables) return std::nullopt;
  // 64 × 16 MiB keep even a Gen5 x16 link busy for 19 ms, a slower one longer.
  constexpr std::size_t bytes = std::size_t{16} << 20;
  constexpr int copies = 64;
  try {
    const auto host = device.allocate_host(bytes, transfers::pinned());
    const auto there = device.allocate(bytes);
    const auto stream = device.create_stream();
    for (int i = 0; i < copies; ++i)
      stream->copy(there.data(), host.data(), bytes, transfers::direction::h2d);
    const auto link = machine::read_pcie_link(cuda->pci_bus_id);
    stream->synchronize();
    return link;
  } catch (const transfers::error&) {
    return std::nullopt;  // not known; what is wrong with the device shows when it is measured
  }
}

std::optional<double> limit_of(const std::optional<machine::pcie_link>& link) {
  if (!link) return std::nullopt;
  const double limit = machine::pcie_limit_gb_per_s(link->generation, link->width);
  return std::isfinite(limit) ? std::optional(limit) : std::nullopt;
}

nlohmann::ordered_json to_json(const std::optional<machine::pcie_link>& link) {
  const auto limit = limit_of(link);
  if (!limit) return nullptr;
  const auto [low, high] = machine::pcie_packet_limit_gb_per_s(link->generation, link->width);
  const auto rounded = [](double value) { return std::round(value * 100) / 100; };
  return {{"type", "pcie"},
          {"generation", link->generation},
          {"width", link->width},
          {"generation_max", link->generation_max},
          {"width_max", link->width_max},
          {"limit_gb_per_s", rounded(*limit)},
          {"packet_limit_gb_per_s", {rounded(low), rounded(high)}}};
}

}  // namespace bench
