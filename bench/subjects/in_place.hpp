#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "transfers/core/device.hpp"

namespace bench_transfers::bench::subjects {

/// Pieces of host memory, all of the same length, that a kernel reads or writes in place. In device
/// memory they are contiguous.
struct pieces_in_place {
  static constexpr std::size_t unit = 16;  ///< bytes that a thread accesses at a time

  std::byte* host;                     ///< its address on the device
  std::vector<std::uint32_t> offsets;  ///< offsets of the pieces from `host`, in units
  std::size_t piece_bytes;             ///< a multiple of the unit
  std::byte* on_device;
  transfers::direction direction;
};

struct pieces_kernel {
  std::function<void()> enqueue;    ///< on the stream; owns what it needs on the device
  std::size_t multiprocessors = 0;  ///< occupied; 0 on the host device
};

/// Neighbouring threads access neighbouring units of a piece and of the next piece in the list.
/// Each thread has several accesses in flight, as in stream::copy_by_kernel. Throws out_of_memory,
/// device_error.
pieces_kernel copy_pieces_in_place(const transfers::device& device, transfers::stream& stream,
                                   const pieces_in_place& pieces);

/// The host device's counterpart.
pieces_kernel copy_pieces_in_place_on_host(transfers::stream& stream,
                                           const pieces_in_place& pieces);

}  // namespace bench_transfers::bench::subjects
