#pragma once

#include <vector>

#include "src/common/message.hpp"
#include "src/topology/findings/words.hpp"
#include "src/topology/map/host_map.hpp"

namespace bench_transfers::topology {

/// What the map says, one sentence each. docs/answers.schema.json has the codes and their data:
/// rates are in bytes per second, devices are named.
std::vector<common::message> findings(const host_map& map);

}  // namespace bench_transfers::topology
