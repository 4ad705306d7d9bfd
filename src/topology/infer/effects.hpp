#pragma once

#include <cstddef>
#include <vector>

#include "src/statistics/estimate.hpp"
#include "src/topology/infer/prediction.hpp"

namespace bench_transfers::topology {

/// What the sets say in which a limit holds flows back.
struct effect_of_limit {
  statistics::estimate capacity;
  double effect = 0;  ///< the part that it takes off
  double p = 1;       ///< that the sets look so without it, adjusted by Holm
  std::size_t sets = 0;
};

/// Of the limits from `first` on. The p-values are adjusted for all candidates that there were.
std::vector<effect_of_limit> effects_of(const evidence& evidence, const prediction& current,
                                        std::size_t first, std::size_t candidates);

}  // namespace bench_transfers::topology
