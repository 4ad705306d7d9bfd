#pragma once

#include <cuda_runtime.h>

#include "src/transfers/cuda/check.hpp"

namespace bench_transfers::bench {

/// As the library's. Inline, because calls that are timed end with it.
inline void cuda_check(cudaError_t code, const char* call) {
  if (code != cudaSuccess) transfers::detail::cuda_check(code, call);
}

}  // namespace bench_transfers::bench
