#pragma once

#include <vector>

#include "src/common/message.hpp"
#include "src/topology/findings/words.hpp"
#include "src/topology/map/host_map.hpp"

namespace bench_transfers::topology {

/// What findings are about, in the order in which they are told.
enum class subject {
  sharing,
  all_at_once,
  links,
  shares,
  at_most,
  nodes,
  alone,
  drift,
  samples,
  hops,
  pci,
  prediction,
  unexplained,
  skipped
};

/// Adds what the map says about one subject, one sentence each. Each code has a row in docs/MAP.md
/// and an entry in docs/answers.schema.json.
using finder = void (*)(const host_map& map, std::vector<common::message>& list);

/// Adds a finder; a constant of its file.
struct registration {
  registration(subject about, finder find);
};

}  // namespace bench_transfers::topology
