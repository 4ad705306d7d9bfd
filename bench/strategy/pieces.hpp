#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {

/// A piece of a payload in host memory.
struct piece {
  std::size_t offset;  ///< from the payload's beginning
  std::size_t bytes;
};

/// A transfer between pieces of host memory and device memory in which they lie one behind the
/// other, in the list's order. No byte of host memory may be in two of them.
struct piecewise {
  payload host;    ///< all the memory that pieces may lie in
  payload device;  ///< as long as the pieces together
  std::vector<piece> pieces;
  transfers::direction way = transfers::direction::h2d;
};

/// Sets source, destination, bytes and verification of a transfer: every byte of the pieces, and
/// the host memory between them, which must stay untouched. `memory` is kept by reference.
void set_ends(transfer& of, piecewise what, transfers::device& device, const buffers& memory);

}  // namespace bench_transfers::bench
