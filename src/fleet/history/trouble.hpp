#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "src/fleet/history/record.hpp"

namespace bench_transfers::fleet {

/// A trouble that the newest sweep of a GPU still shows.
struct trouble {
  std::size_t since;                    ///< index of its first sweep
  std::optional<std::size_t> before;    ///< of the last one that does not show it
  std::optional<fleet::aspect> aspect;  ///< none: a link, wrong data, single benchmarks
  double slower = 0;                    ///< in its newest sweep; 0 without an aspect
  std::size_t sweeps = 0;               ///< that show it
};

/// Of a GPU by its sweeps, in their order; null: it is not there. Of several aspects the one that
/// has been slow for longest; of these the slowest.
std::optional<trouble> trouble_of(const std::vector<const gpu_record*>& records);

}  // namespace bench_transfers::fleet
