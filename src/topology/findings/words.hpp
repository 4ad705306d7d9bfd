#pragma once

#include <string>

#include "src/topology/flows/flows.hpp"
#include "src/topology/pci/pci_view.hpp"

namespace bench_transfers::topology {

/// In GB/s, with one decimal; below 1 with three digits.
std::string rate_text(double bytes_per_second);

/// "from the host", "to the host", "both ways"
const char* direction_text(traffic kind);

/// "port 0000:c0:01.1, Gen4 x16", "root complex pci0000:c0", "NUMA node 1"
std::string place_text(const common_place& place);

/// "Gen4 x16, nominally 26.2 to 26.6 GB/s": what packets of 256 bytes leave of the link.
std::string nominal_text(const machine::pcie_link& link);

}  // namespace bench_transfers::topology
