#pragma once

#include <map>

#include "src/topology/infer/plan.hpp"

namespace bench_transfers::topology {

/// Sets of devices that may share a link, with how likely that is beside the others.
using likely_sets = std::map<device_set, double>;

/// By where the kernel shows places, by the numbers of devices, and by the links that were found.
likely_sets likely_sets_of(const plan& next);

}  // namespace bench_transfers::topology
