#pragma once

#include "src/topology/infer/prediction.hpp"

namespace bench_transfers::topology {

/// How a full limit for both directions divides, by the sets in which it is full; `base` is what
/// they would be without it. Fair unless Student's test says otherwise.
direction_shares shares_in(const evidence& evidence, const prediction& base, const limit& full);

}  // namespace bench_transfers::topology
