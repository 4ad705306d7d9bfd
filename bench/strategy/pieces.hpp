#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {

/// A piece of a payload in host memory.
struct piece {
  std::size_t offset;  ///< from the beginning of the payload
  std::size_t bytes;
};

/// A copy between pieces of host memory and contiguous device memory that holds them in the order
/// of the list. The pieces must not overlap.
struct piecewise {
  payload host;    ///< contains all pieces
  payload device;  ///< as long as all pieces together
  std::vector<piece> pieces;
  transfers::direction direction = transfers::direction::h2d;
};

/// Blocks in random order, the same in every run, with gaps of a block's length: within twice the
/// bytes. The remainder that does not fill a block comes last.
std::vector<piece> scattered_pieces(std::size_t bytes, std::size_t block);

/// Sets source, destination, bytes and verification of a copy. The verification compares every byte
/// of the pieces and checks that the host memory between them is untouched. Keeps a reference to
/// `memory`.
void set_ends(transfer& copy, piecewise layout, transfers::device& device, const buffers& memory);

}  // namespace bench_transfers::bench
