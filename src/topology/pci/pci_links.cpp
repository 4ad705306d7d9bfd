#include "src/topology/pci/pci_links.hpp"

#include <algorithm>

namespace bench_transfers::topology {
namespace {

using machine::pcie_link;

link_rate now_of(const pcie_link& link) { return {link.generation, link.width}; }
link_rate most_of(const pcie_link& link) { return {link.generation_max, link.width_max}; }

/// One end cannot do what the other one does now: they are not the ends of one link.
bool contradict(const pcie_link& one, const pcie_link& other) {
  const auto exceeds = [](const pcie_link& runs, const pcie_link& can) {
    return runs.generation > can.generation_max || runs.width > can.width_max;
  };
  return exceeds(one, other) || exceeds(other, one);
}

/// The port's figures are true as well, as far as the other end can tell.
path_link link_between(const pci_hop* upper, const std::string& lower, const pcie_link& own) {
  path_link link{.upper = "",
                 .lower = lower,
                 .now = now_of(own),
                 .most = most_of(own),
                 .lower_most = most_of(own)};
  if (!upper) return link;
  if (upper->link && contradict(*upper->link, own)) return link;
  link.upper = upper->address;
  if (upper->link) {
    link.most.generation = std::min(link.most.generation, upper->link->generation_max);
    link.most.width = std::min(link.most.width, upper->link->width_max);
  }
  return link;
}

/// The ports of a tunnel can do generation 1 at most, by their figures, and the other side of the
/// same switch more. No switch of one generation is like that.
bool is_end_of_tunnel(const pci_hop& port, const pci_hop* other_side) {
  return port.link && port.link->generation_max == 1 && other_side && other_side->link &&
         other_side->link->generation_max > 1;
}

}  // namespace

double link_rate::gb_per_s() const { return machine::pcie_limit_gb_per_s(generation, width); }

bool path_link::is_narrower() const { return limits && now.width < most.width; }
bool path_link::is_slower() const { return limits && now.generation < most.generation; }

std::vector<path_link> links_of(const pci_path& path, const path_knowledge& known) {
  std::vector<path_link> links;
  const auto& hops = path.hops;
  const auto add = [&](path_link link) {
    if (link.now.gb_per_s() < known.measured_gb_per_s) link.limits = false;
    links.push_back(std::move(link));
  };
  if (hops.empty() || known.is_guest) {
    const auto own = hops.empty() || !hops.back().link ? known.gpu_link : hops.back().link;
    if (own) add(link_between(nullptr, hops.empty() ? path.bus_id : hops.back().address, *own));
    return links;
  }
  // Each second hop is the lower end of a link; what lies between two links is inside of a switch.
  for (std::size_t lower = (hops.size() - 1) % 2; lower < hops.size(); lower += 2) {
    const bool is_gpu = lower + 1 == hops.size();
    const auto& own = hops[lower].link || !is_gpu ? hops[lower].link : known.gpu_link;
    if (!own) continue;
    const auto* const upper = lower > 0 ? &hops[lower - 1] : nullptr;
    auto link = link_between(upper, hops[lower].address, *own);
    if (!is_gpu && upper) {
      link.limits = !link.upper.empty() && !is_end_of_tunnel(hops[lower], &hops[lower + 1]) &&
                    !is_end_of_tunnel(*upper, lower > 1 ? &hops[lower - 2] : nullptr);
      link.upper = upper->address;
    }
    add(std::move(link));
  }
  return links;
}

std::optional<std::size_t> narrowest(const std::vector<path_link>& links) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (!links[i].limits) return std::nullopt;
    if (!found || links[i].now.gb_per_s() <= links[*found].now.gb_per_s()) found = i;
  }
  return found;
}

}  // namespace bench_transfers::topology
