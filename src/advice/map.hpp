#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/advice/ranking.hpp"

namespace bench_transfers::advice {

/// What to use for one size and reuse.
struct map_cell {
  std::string winner;  ///< the one recommended
  double total_ns;
  std::size_t as_good;  ///< how many others cannot be told from the fastest
  /// The fastest that can, and by how much longer it takes than the winner, as a part of total_ns.
  std::optional<std::string> runner_up;
  std::optional<double> margin;
  bool extrapolated;  ///< the winner
};

/// Who wins where, for one direction.
struct winner_map {
  question asked;  ///< with the CPU accesses; its bytes and reuse do not matter
  std::vector<double> sizes;
  std::vector<double> reuses;
  std::vector<std::vector<map_cell>> cells;  ///< [size][reuse]; empty when nothing can be ranked
};

/// Sizes from the smallest to the largest one at which transfers were measured, each twice the one
/// before; reuse 1, 2, 5, 10 … 10⁶.
winner_map map_of(const cost_model& model, const question& asked);

}  // namespace bench_transfers::advice
