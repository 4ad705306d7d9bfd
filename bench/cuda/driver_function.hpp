#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <string>

#include "bench/cuda/check.hpp"
#include "src/transfers/cuda/toolkit.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench {

/// Looks a function up in the installed driver, because the program must start without one.
/// `version` is that of the CUDA whose form of the function is meant (cudaTypedefs.h has its type).
/// Throws unsupported, device_error.
template <class Function>
Function driver_function(const char* name, unsigned version) {
  void* address = nullptr;
  auto state = cudaDriverEntryPointSymbolNotFound;
  cuda_check(transfers::detail::find_in_driver(name, &address, version, &state), name);
  if (state != cudaDriverEntryPointSuccess)
    throw transfers::unsupported(std::string("the driver has no ") + name);
  return reinterpret_cast<Function>(address);
}

/// As cuda_check(). The two enumerations have the same numbers (CUDA Runtime API, cudaError).
inline void driver_check(CUresult code, const char* call) {
  cuda_check(static_cast<cudaError_t>(code), call);
}

}  // namespace bench_transfers::bench
