#include "src/doctor/links.hpp"

#include <algorithm>

namespace bench_transfers::doctor {
namespace {

using topology::pci_hop;

link_rate now_of(const machine::pcie_link& link) { return {link.generation, link.width}; }
link_rate most_of(const machine::pcie_link& link) { return {link.generation_max, link.width_max}; }

/// Both ends tell what runs now; a sleeping end of an old kernel may lag.
std::optional<path_link> link_between(const pci_hop* upper, const pci_hop& lower,
                                      const std::optional<machine::pcie_link>& lower_link) {
  if (!lower_link) return std::nullopt;
  path_link link{.upper = upper ? upper->address : "",
                 .lower = lower.address,
                 .now = now_of(*lower_link),
                 .most = most_of(*lower_link),
                 .lower_most = most_of(*lower_link)};
  if (upper && upper->link) {
    link.most.generation = std::min(link.most.generation, upper->link->generation_max);
    link.most.width = std::min(link.most.width, upper->link->width_max);
  }
  return link;
}

}  // namespace

double link_rate::gb_per_s() const { return machine::pcie_limit_gb_per_s(generation, width); }

std::vector<path_link> links_of(const gpu_facts& gpu) {
  std::vector<path_link> links;
  if (!gpu.on_pcie) return links;
  const auto& hops = gpu.path.hops;
  const auto nvml = gpu.settings ? gpu.settings->link : std::nullopt;
  if (hops.empty()) {
    if (const auto link = link_between(nullptr, {gpu.bus_id, {}, {}, {}}, nvml))
      links.push_back(*link);
    return links;
  }
  // Each second hop is the lower end of a link; what lies between two links is inside of a switch.
  for (std::size_t lower = (hops.size() - 1) % 2; lower < hops.size(); lower += 2) {
    const bool is_gpu = lower + 1 == hops.size();
    const auto& known = hops[lower].link || !is_gpu ? hops[lower].link : nvml;
    const auto* const upper = lower > 0 ? &hops[lower - 1] : nullptr;
    if (const auto link = link_between(upper, hops[lower], known)) links.push_back(*link);
  }
  return links;
}

std::optional<std::size_t> narrowest(const std::vector<path_link>& links) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < links.size(); ++i)
    if (!found || links[i].now.gb_per_s() <= links[*found].now.gb_per_s()) found = i;
  return found;
}

}  // namespace bench_transfers::doctor
