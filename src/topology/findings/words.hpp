#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/topology/map/host_map.hpp"

namespace bench_transfers::topology {

std::vector<std::string> device_names(const host_map& map, device_set devices);

/// "cuda:0", "cuda:0 and cuda:2", "cuda:4 to cuda:7"
std::string names_text(const host_map& map, device_set devices);

/// The place that names a link best: a port rather than a root complex, and that rather than a
/// node; of ports the nearest to the host.
std::optional<common_place> best_place(const host_map& map, device_set devices);

/// In GB/s, with one decimal; below 1 with three digits.
std::string rate_text(double bytes_per_second);

/// "from the host", "to the host", "both ways"
const char* direction_text(traffic kind);

/// "port 0000:c0:01.1, Gen4 x16", "root complex pci0000:c0", "NUMA node 1"
std::string place_text(const common_place& place);

/// "Gen4 x16, nominally 26.2 to 26.6 GB/s": what packets of 256 bytes leave of the link.
std::string nominal_text(const machine::pcie_link& link);

}  // namespace bench_transfers::topology
