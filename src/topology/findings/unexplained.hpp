#pragma once

#include <optional>

#include "src/topology/map/host_map.hpp"

namespace bench_transfers::topology {

/// A flow that gets less beside some flows than beside fewer of them, although no link can hold it
/// back: with these flows each link on its way carries less than it once has.
struct unexplained_flow {
  topology::flow flow;
  flow_set beside, beside_fewer;     ///< without the flow itself
  double rate = 0, rate_before = 0;  ///< bytes per second, beside these and beside fewer
  double unused = 0;  ///< the least part that a link on its way had left: a lower bound
};

/// The flow that loses most, if it loses more than 5 %, and each link on its way has more than 5 %
/// left: both beyond three standard deviations of sets that were measured again, and beyond what
/// devices lost while the map was made. Links that are shared max-min fairly do not give these
/// rates, whatever their capacities and shares are. Sets of up to eight devices are looked at.
std::optional<unexplained_flow> most_unexplained(const host_map& map);

}  // namespace bench_transfers::topology
