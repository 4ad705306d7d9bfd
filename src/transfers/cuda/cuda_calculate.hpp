#pragma once

#include <cuda_runtime.h>

#include <span>

#include "transfers/core/stream.hpp"

namespace transfers::detail {

/// Enqueue the work. Throw device_error.
void calculate_on_cuda(cudaStream_t stream, const elementwise_operation& operation);
void convert_on_cuda(cudaStream_t stream, const conversion& request);
void write_sequence_on_cuda(cudaStream_t stream, const sequence& request);
void fill_on_cuda(cudaStream_t stream, std::byte* memory, std::span<const std::byte> element,
                  std::size_t elements);

/// Returns the result of work in the stream. Throws out_of_memory, device_error.
element_value reduce_on_cuda(cudaStream_t stream, const reduction& request);

}  // namespace transfers::detail
