#pragma once

#include <cuda_runtime.h>

#include "transfers/core/device.hpp"

namespace transfers::detail {

/// See device::write_pattern and device::check_pattern; both return when the stream is done.
void write_cuda_pattern(cudaStream_t stream, std::byte* block, std::size_t offset,
                        std::size_t bytes, pattern content);
pattern_check check_cuda_pattern(cudaStream_t stream, const std::byte* block, std::size_t offset,
                                 std::size_t bytes, pattern content);

}  // namespace transfers::detail
