#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "src/fleet/judge/peers.hpp"
#include "src/fleet/judge/scores.hpp"
#include "src/statistics/estimate.hpp"

namespace bench_transfers::fleet {

/// The parts of a fleet that can be slow as a whole. The fleet, or a model of it, has no peers:
/// only other references show that it is slow.
enum class scope { gpu, node, rack, fleet };
/// Of those that are compared with each other.
inline constexpr scope every_scope[] = {scope::gpu, scope::node, scope::rack};

/// A part that is slower than the others of its kind.
struct slow_part {
  fleet::scope scope;
  std::size_t index;            ///< into the GPUs, nodes or racks of its peers
  statistics::estimate slower;  ///< logarithm; the interval covers how healthy parts differ
  double p;                     ///< adjusted for all parts of its kind
  /// How much of the time it is slow.
  enum class persistence {
    sometimes,  ///< its faster repetitions, or all but one of its runs, do not show it
    mostly,     ///< all but a quarter of its repetitions show at least half of it
    always      ///< even the fastest one does
  } how_long = persistence::always;
  bool by_slowest_run = false;  ///< `slower` is that of its slowest run, not of all repetitions
};
using persistence = slow_part::persistence;

/// What was tested.
struct tested_parts {
  fleet::scope scope;
  std::size_t parts = 0;
  double detectable = 0;  ///< logarithm: such a part would be found four times out of five
};

struct slow_parts {
  std::vector<slow_part> slow;
  std::vector<tested_parts> tested;
};

/// What counts as slow.
struct criteria {
  double threshold;    ///< logarithm of the smallest slowdown that matters
  double false_alarm;  ///< the rate at which any part of a kind is named if all are healthy
  double expected;     ///< deviation of healthy parts that is assumed until they show theirs
};

/// Fewer parts do not tell what is chance, where they differ by more than matters.
inline constexpr std::size_t handful = 5;

/// What no healthy part of less than a handful is slower by, as a logarithm: by far more than
/// healthy ones are expected to differ, and twice the time at most.
double beyond_chance(double expected);

/// Finds the slow parts in one aspect, by the scores of the peers' GPUs. A GPU is compared with the
/// others of its node, and must be slow beside the whole fleet as well; a node's median GPU with
/// those of the other nodes, and a rack's lower median node with those of the other racks; so a
/// node that is slow as a whole is no eight slow GPUs. A rack is slow only if three quarters of its
/// nodes are. A part is slow if it is slower than the threshold, and healthy ones would not be as
/// slow by chance.
slow_parts find_slow(const peers& alike, const std::vector<std::optional<score>>& scores,
                     const criteria& criteria);

/// By how much each of the peers' GPUs is slower than healthy ones, as a logarithm; none where it
/// has no score. What is slow has the number that was found: a GPU its own, and those of its node
/// and rack if these are slow as well; the median GPU of a slow node, without slow ones, that of
/// the node. Others are compared with the median GPU after what is slow has been taken off: a slow
/// GPU of two does not make the other one fast.
std::vector<std::optional<double>> slower_than_healthy(
    const peers& alike, const std::vector<std::optional<score>>& scores,
    const std::vector<slow_part>& slow);

}  // namespace bench_transfers::fleet
