#pragma once

#include <vector>

#include "src/common/message.hpp"
#include "src/topology/map/host_map.hpp"

namespace bench_transfers::topology {

/// Which memory each device should use, by what was measured, and for other devices by what the
/// kernel says; and which nodes were not measured. The codes are those of findings().
void add_node_findings(const host_map& map, std::vector<common::message>& list);

}  // namespace bench_transfers::topology
