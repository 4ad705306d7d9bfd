#pragma once

#include <string>
#include <vector>

#include "src/topology/flows/observation.hpp"
#include "src/topology/map/host_map.hpp"

namespace bench_transfers::topology {

/// Measures the sets that it takes, most_sets() at most, and returns the map that explains them. If
/// most devices change meanwhile, it measures all of them again, once.
/// `devices` are the names, in the order of the PCI paths. What cannot be measured is skipped: a
/// device that does not even copy alone has no links. Throws std::invalid_argument if there are
/// none, or more than most_devices.
host_map infer(const pci_view& pci, const std::vector<std::string>& devices,
               const measure_function& measure, const progress_function& progress = {});

/// The map of what has been observed. Sets held out are not fitted, but compared with the map.
host_map map_of(const pci_view& pci, const std::vector<std::string>& devices,
                const std::vector<observation>& observations,
                const std::vector<observation>& held_out);

}  // namespace bench_transfers::topology
