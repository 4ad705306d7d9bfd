#pragma once

#include <cuda_runtime.h>

#include <cstddef>

#include "transfers/core/stream.hpp"

namespace transfers::detail {

/// See stream::copy_by_kernel.
void launch_copy(std::byte* destination, const std::byte* source, std::size_t bytes,
                 int multiprocessors, unsigned most_blocks, cudaStream_t stream);

/// See stream::copy_pieces. At least one piece. `multiprocessors` and
/// stream::most_blocks_for_pieces bound the grid.
void launch_pieces(const scattered_piece* table, std::size_t pieces, std::byte* on_device,
                   direction direction, int multiprocessors, cudaStream_t stream);

}  // namespace transfers::detail
