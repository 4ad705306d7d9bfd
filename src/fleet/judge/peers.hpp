#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/fleet/model/sweep.hpp"

namespace bench_transfers::fleet {

/// GPUs of one model, which are compared with each other.
struct peers {
  std::string model;
  std::vector<std::size_t> gpus;                ///< indices into the sweep's
  std::vector<std::vector<std::size_t>> nodes;  ///< each: positions in `gpus`
  std::vector<std::vector<std::size_t>> racks;  ///< each: positions in `nodes`
};

/// The models of a fleet, in the order of their names. A node without a rack is in no rack.
std::vector<peers> peers_of(const sweep& sweep);

}  // namespace bench_transfers::fleet
