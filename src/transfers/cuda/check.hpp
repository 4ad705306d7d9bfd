#pragma once

#include <cuda_runtime.h>

namespace transfers::detail {

/// Throws out_of_memory, unsupported (the driver is older than the call) or device_error, with the
/// call's name and CUDA's name and text of the error, unless `code` is success. The device
/// concerned must be current.
void cuda_check(cudaError_t code, const char* call);

}  // namespace transfers::detail
