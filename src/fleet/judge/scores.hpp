#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::fleet {

/// How much slower a GPU is than its peers in one aspect, as a logarithm of times: 0.03 is 3 %.
struct score {
  double usual;      ///< by the median of its repetitions
  double fastest;    ///< by the fastest of them, compared with the fastest of the peers
  double error = 0;  ///< standard error of `usual`, by how the benchmarks differ
};

/// The aspects that the sweep's benchmarks show.
std::set<aspect> aspects_of(const sweep& sweep);

/// The scores of these GPUs in some benchmarks: the medians, over those, of their distances from
/// the median of all of them. None for a GPU that has measured less than half of the benchmarks
/// that any of them has measured.
std::vector<std::optional<score>> scores_of(const sweep& sweep,
                                            const std::vector<std::size_t>& benchmarks,
                                            const std::vector<std::size_t>& gpus);

/// The sweep's benchmarks that show an aspect.
std::vector<std::size_t> benchmarks_of(const sweep& sweep, const aspect& aspect);

}  // namespace bench_transfers::fleet
