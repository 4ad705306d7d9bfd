#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "src/fleet/judge/peers.hpp"

namespace bench_transfers::fleet {

/// The parts of a fleet that can be slow as a whole, the narrowest first. The fleet, or a model of
/// it, has no peers: only other references show that it is slow.
enum class scope { gpu, node, rack, slot, fleet };

/// A part of the GPUs of a model.
struct part_of_peers {
  fleet::scope scope;
  std::vector<std::size_t> gpus;  ///< positions in peers::gpus, ascending
};

/// The GPUs of a part by its index among the GPUs, nodes, racks or slots of its peers.
part_of_peers part_of(const peers& alike, scope scope, std::size_t index);

/// The fleet itself, its slots, racks, nodes and GPUs, in this order. A part of which another one
/// has all GPUs is left out: a node of one GPU is that GPU.
std::vector<part_of_peers> parts_of(const peers& alike);

/// What so many members of a wider part have in common, of which these are known to be slower:
/// their lower median, if at least three quarters of all are slower by more than half as much.
std::optional<double> common_to(const std::vector<double>& slower, std::size_t members);

/// Whether two parts are slower by about the same: neither by more than twice the other's.
bool is_about(double slower, double other);

/// Whether so many slow members make the wider part slow, whatever its own test says: a quarter of
/// them, and two at least.
bool are_enough(std::size_t slow, std::size_t members);

/// The smaller of the two in the middle.
double lower_median(std::vector<double> values);

/// Takes what GPUs have in common for something of the widest part that has it in common: for each
/// part, from the fleet down to the GPUs, what is common to its GPUs counts, if it `matters`, or if
/// what enough of them are slower by does. It is taken off its GPUs then. A GPU without a value is
/// not slow: it counts among those of its parts.
struct common_slowdown {
  std::size_t index;  ///< into parts_of
  part_of_peers part;
  double slower;  ///< logarithm
  double p;
};
/// The p-value of a slowdown of a part, none if it does not matter.
using significance = std::function<std::optional<double>(const part_of_peers&, double slower)>;

/// How what a part has in common is taken off its GPUs.
struct attribution {
  /// Parts that are slow anyway, as indices into parts_of: what is common to their GPUs is taken
  /// off them, whether it matters or not.
  std::set<std::size_t> known = {};
  bool once = false;  ///< a GPU of a slow part is in no narrower one
};
std::vector<common_slowdown> attributed(const peers& alike,
                                        std::vector<std::optional<double>> slower,
                                        const significance& matters, const attribution& how = {});

}  // namespace bench_transfers::fleet
