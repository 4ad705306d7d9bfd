#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "src/fleet/judge/parts.hpp"
#include "src/fleet/judge/peers.hpp"
#include "src/fleet/judge/scores.hpp"
#include "src/statistics/estimate.hpp"

namespace bench_transfers::fleet {

/// The scopes of parts that are compared with each other.
inline constexpr scope every_scope[] = {scope::gpu, scope::node, scope::rack, scope::slot};
/// Those of them that are made of several nodes.
constexpr bool is_wide(scope scope) { return scope > scope::node; }

/// A part that is slower than the others of its kind.
struct slow_part {
  fleet::scope scope;
  std::size_t index;            ///< into the GPUs, nodes, racks or slots of its peers
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

/// A slot or a rack, by its index.
using wide_parts = std::set<std::pair<scope, std::size_t>>;

/// Finds the slow parts in one aspect, by the scores of the peers' GPUs. A GPU is compared with the
/// others of its node, and must be slow beside the whole fleet as well; a node's median GPU with
/// those of the other nodes. Before that, slots are judged by what their GPUs are slower by than
/// others of their nodes, and racks by their lower median node: what three quarters of its GPUs or
/// nodes have in common is one slow part, and is taken off them. A part is slow if it is slower
/// than the threshold, and healthy ones would not be as slow by chance; a slot or rack also if
/// enough of its GPUs or nodes are. What `known` ones have in common is taken off in any case.
slow_parts find_slow(const peers& alike, const std::vector<std::optional<score>>& scores,
                     const criteria& criteria, const wide_parts& known = {});

/// By how much each of the peers' GPUs is slower than healthy ones, as a logarithm; none where it
/// has no score. What is slow has the number that was found: a GPU its own, and those of its node,
/// rack and slot if these are slow as well; the median GPU of a slow node, without slow ones, that
/// of the node. Others are compared with the median GPU after what is slow has been taken off: a
/// slow GPU of two does not make the other one fast.
std::vector<std::optional<double>> slower_than_healthy(
    const peers& alike, const std::vector<std::optional<score>>& scores,
    const std::vector<slow_part>& slow);

}  // namespace bench_transfers::fleet
