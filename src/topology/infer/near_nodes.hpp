#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "src/machine/numa.hpp"
#include "src/topology/flows/observation.hpp"
#include "src/topology/map/host_map.hpp"

namespace bench_transfers::topology {

/// Measures one set with host memory on a NUMA node.
using node_measure_function = std::function<observation(int node, const flow_set&)>;

/// Measures each device alone, in each direction, with memory on each node, twice. What cannot be
/// measured is left empty, with the reason. Returns nothing, and measures nothing, unless there are
/// several nodes with memory and CPUs that this process may use.
std::vector<node_rates> rates_by_node(std::size_t devices,
                                      const std::vector<machine::numa_node>& nodes,
                                      const node_measure_function& measure);

/// Of the nodes that a device was measured with, the one with the highest rates, and another. Empty
/// if it was measured with fewer than two.
struct near_and_far {
  std::size_t near, far;          ///< indices into host_map::nodes; of several far ones the slowest
  statistics::estimate h2d, d2h;  ///< the part of the near node's rate that is lost on the far one

  [[nodiscard]] const statistics::estimate& of(direction direction) const {
    return direction == direction::h2d ? h2d : d2h;
  }
};
/// Whether far memory costs anything, nothing worth a word, or nobody knows.
enum class node_effect { matters, none, unknown };
node_effect effect_of(const statistics::estimate& lost);
/// Of both directions: it matters if it does in one of them.
node_effect effect_of(const near_and_far& nodes);

std::optional<near_and_far> compare_nodes(const host_map& map, std::size_t device);

}  // namespace bench_transfers::topology
