#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::fleet {

/// The GPUs that are in the same place of their nodes.
struct slot {
  std::string name;               ///< the PCI address, otherwise the GPU's number on its node
  std::vector<std::size_t> gpus;  ///< positions in peers::gpus
};

/// GPUs of one model, which are compared with each other.
struct peers {
  std::string model;
  std::vector<std::size_t> gpus;                ///< indices into the sweep's
  std::vector<std::vector<std::size_t>> nodes;  ///< each: positions in `gpus`
  std::vector<std::vector<std::size_t>> racks;  ///< each: positions in `nodes`
  std::vector<fleet::slot> slots;
};

/// The models of a fleet, in the order of their names. A node without a rack is in no rack.
std::vector<peers> peers_of(const sweep& sweep);

/// Of each GPU of the sweep the name of its slot. Numbers follow the ranks of a node, as far as
/// there are any.
std::vector<std::string> slots_of(const sweep& sweep);

}  // namespace bench_transfers::fleet
