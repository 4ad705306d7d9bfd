#pragma once

#include <cstddef>
#include <vector>

#include "src/topology/infer/evidence.hpp"

namespace bench_transfers::topology {

/// Of so many devices every set is a candidate.
inline constexpr std::size_t most_devices_for_all_sets = 8;

/// The sets of devices that may share a link: all of up to most_devices_for_all_sets devices;
/// otherwise the hints, ranges, pairs, and what the evidence suggests.
std::vector<device_set> candidate_sets(const evidence& evidence,
                                       const std::vector<device_set>& hints);

}  // namespace bench_transfers::topology
