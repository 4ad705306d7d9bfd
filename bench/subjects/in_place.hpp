#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "transfers/core/device.hpp"

namespace bench_transfers::bench::subjects {

/// Pieces of host memory, all of the same length, that a kernel reads or writes in place; on the
/// device they lie one behind the other.
struct pieces_in_place {
  static constexpr std::size_t unit = 16;  ///< bytes that a thread accesses at a time

  std::byte* host;                     ///< as the device sees it
  std::vector<std::uint32_t> offsets;  ///< of the pieces from there, in units
  std::size_t piece_bytes;             ///< a multiple of the unit
  std::byte* on_device;
  transfers::direction way;
};

struct pieces_kernel {
  std::function<void()> enqueue;    ///< on the stream; owns what it needs on the device
  std::size_t multiprocessors = 0;  ///< that it occupies; 0 on the host device
};

/// Neighbouring threads access neighbouring units of a piece, and then of the next one in the list,
/// and each has several accesses under way, as in stream::copy_by_kernel. Throws out_of_memory,
/// device_error.
pieces_kernel copy_pieces_in_place(const transfers::device& on, transfers::stream& in,
                                   const pieces_in_place& what);

/// The host device's counterpart.
pieces_kernel copy_pieces_in_place_on_host(transfers::stream& in, const pieces_in_place& what);

}  // namespace bench_transfers::bench::subjects
