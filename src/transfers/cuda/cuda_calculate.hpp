#pragma once

#include <cuda_runtime.h>

#include "transfers/core/stream.hpp"

namespace transfers::detail {

/// Enqueue the work. Throw device_error.
void calculate_on_cuda(cudaStream_t stream, const elementwise_operation& operation);
void convert_on_cuda(cudaStream_t stream, const conversion& request);

}  // namespace transfers::detail
