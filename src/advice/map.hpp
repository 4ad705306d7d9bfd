#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "src/advice/ranking.hpp"

namespace bench_transfers::advice {

/// What to use for one size and reuse.
struct map_cell {
  std::string winner;  ///< the recommended strategy
  double total_ns;
  std::size_t as_good;  ///< how many others it was chosen from
  /// The fastest strategy that is neither among them nor faster than the winner, and how much
  /// longer it takes, as a part of total_ns.
  std::optional<std::string> runner_up;
  std::optional<double> margin;
  /// How many times as fast as the baseline the winner is; none without a baseline.
  std::optional<double> gain;
  bool extrapolated;  ///< of the winner
};

/// The winner for each size and reuse, for one direction.
struct winner_map {
  advice::question question;  ///< with the CPU accesses; its bytes and reuse are ignored
  std::vector<double> sizes;
  std::vector<double> reuses;
  std::vector<std::vector<map_cell>> cells;  ///< [size][reuse]; empty when nothing can be ranked
};

/// Sizes double from the smallest to the largest one at which transfers were measured; reuse is 1,
/// 2, 5, 10 … 10⁶.
winner_map map_of(const cost_model& model, const question& question);

}  // namespace bench_transfers::advice
