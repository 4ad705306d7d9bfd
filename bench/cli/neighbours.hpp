#pragma once

#include <vector>

#include "bench/cli/choose_device.hpp"
#include "bench/harness/sets.hpp"
#include "src/topology/pci/pci_view.hpp"

namespace bench_transfers::bench {

/// The devices next to each NUMA node and below each port or root complex: two or more, but not
/// all. Of ports in a row with the same devices, the nearest to the host. No nodes if that of a
/// device is not known, no ports if nothing is visible.
std::vector<neighbours> neighbours_of(const topology::pci_view& view);

/// What sets of copies of these devices are made of, as this machine shows it.
host_layout layout_of(const devices_choice& devices, std::vector<machine::numa_node> nodes);

}  // namespace bench_transfers::bench
