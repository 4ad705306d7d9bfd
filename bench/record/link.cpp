#include "bench/record/link.hpp"

#include <cmath>

#include "src/machine/pci_device.hpp"

namespace bench_transfers::bench {

std::optional<double> limit_of(const std::optional<machine::pcie_link>& link) {
  if (!link) return std::nullopt;
  const double limit = machine::pcie_limit_gb_per_s(link->generation, link->width);
  return std::isfinite(limit) ? std::optional(limit) : std::nullopt;
}

nlohmann::ordered_json to_json(const std::optional<machine::pcie_link>& link) {
  const auto limit = limit_of(link);
  if (!limit) return nullptr;
  const auto [low, high] = machine::pcie_packet_limit_gb_per_s(*link);
  const auto rounded = [](double value) { return std::round(value * 100) / 100; };
  nlohmann::ordered_json facts{{"type", "pcie"},
                               {"generation", link->generation},
                               {"width", link->width},
                               {"generation_max", link->generation_max},
                               {"width_max", link->width_max},
                               {"limit_gb_per_s", rounded(*limit)},
                               {"packet_limit_gb_per_s", {rounded(low), rounded(high)}}};
  if (link->settings) facts.update(machine::to_json(*link->settings));
  return facts;
}

}  // namespace bench_transfers::bench
