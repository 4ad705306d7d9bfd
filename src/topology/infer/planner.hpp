#pragma once

#include <cstddef>
#include <vector>

#include "src/topology/flows/observation.hpp"

namespace bench_transfers::topology {

/// What is known of a host before anything is measured.
struct host_outline {
  std::size_t devices = 0;
  std::vector<device_set> hints;  ///< sets of devices below a port or next to a NUMA node
};

/// At most as many sets are measured, with those held out: 15 for each device, and each alone again
/// in the middle of long plans and at the end.
std::size_t most_sets(std::size_t devices);

/// The sets to measure next, after what has been observed; none if nothing is left to learn, or
/// most_sets are reached. In this order: each device alone; all devices, twice; then what decides
/// between explanations, and the sets in which a link may bind that no set so far could show. In
/// the middle of it, each device alone again. A set that could not be measured is not asked for
/// again, and none with a device that can no longer be measured.
std::vector<flow_set> next_sets(const host_outline& host,
                                const std::vector<observation>& observations);

/// Sets to check the map with: of any devices, each in a direction of its own or in both. None of
/// them was measured before. The same for the same arguments. `held_out` are those measured so far.
std::vector<flow_set> held_out_sets(std::size_t devices,
                                    const std::vector<observation>& observations,
                                    const std::vector<observation>& held_out = {});

/// What is measured last: each device alone, which shows whether it has changed. Observations are
/// all that were made.
std::vector<flow_set> closing_sets(std::size_t devices,
                                   const std::vector<observation>& observations);

}  // namespace bench_transfers::topology
