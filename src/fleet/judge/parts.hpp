#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "src/fleet/judge/levels.hpp"
#include "src/fleet/judge/peers.hpp"

namespace bench_transfers::fleet {

/// A part of the GPUs of a model, by positions in peers::gpus.
struct part_of_peers {
  fleet::scope scope;
  std::vector<std::size_t> gpus;
};

/// The fleet itself, its racks, its nodes and its GPUs, in this order. A part of which another one
/// has all GPUs is left out: a node of one GPU is that GPU.
std::vector<part_of_peers> parts_of(const peers& alike);

/// Takes what GPUs have in common for something of the widest part that has it in common: for each
/// part, from the fleet down to the GPUs, the lower median of what its GPUs are slower by counts,
/// if at least three quarters of them are slower by half as much, and it `matters`. It is taken off
/// its GPUs then. A GPU without a value is not slow: it counts among those of its parts.
struct common_slowdown {
  part_of_peers part;
  double slower;  ///< logarithm
  double p;
};
/// The p-value of a slowdown of a part, none if it does not matter.
using significance = std::function<std::optional<double>(const part_of_peers&, double slower)>;
std::vector<common_slowdown> attributed(const peers& alike,
                                        std::vector<std::optional<double>> slower,
                                        const significance& matters, bool once = false);

}  // namespace bench_transfers::fleet
