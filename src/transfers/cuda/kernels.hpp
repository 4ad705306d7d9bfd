#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace transfers::detail {

/// Copies with coalesced 16-byte accesses when both addresses allow it, else byte by byte.
/// `multiprocessors` bounds the grid.
void launch_copy(std::byte* destination, const std::byte* source, std::size_t bytes,
                 int multiprocessors, cudaStream_t stream);

/// Keeps the stream busy for `cycles` of the multiprocessor's clock.
void launch_delay(long long cycles, cudaStream_t stream);

}  // namespace transfers::detail
