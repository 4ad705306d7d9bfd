#pragma once

#include <cuda_runtime.h>

#include <string>

#include "transfers/core/error.hpp"

namespace bench_transfers::bench {

/// Throws out_of_memory or device_error, with the call's name and CUDA's name and text of the
/// error, unless `code` is success. The device concerned must be current.
inline void cuda_check(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  const auto message =
      std::string(call) + ": " + cudaGetErrorName(code) + " (" + cudaGetErrorString(code) + ")";
  cudaGetLastError();  // clears an error that is not sticky
  if (code == cudaErrorMemoryAllocation) throw transfers::out_of_memory(message);
  // Every later call returns a sticky error again; an ordinary error is cleared now.
  throw transfers::device_error(message, cudaFree(nullptr) != cudaSuccess);
}

}  // namespace bench_transfers::bench
