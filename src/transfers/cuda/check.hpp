#pragma once

#include <cuda_runtime.h>

namespace transfers::detail {

/// Throws out_of_memory or device_error, with the call's name and CUDA's name and text of the
/// error, unless `code` is success.
void cuda_check(cudaError_t code, const char* call);

}  // namespace transfers::detail
