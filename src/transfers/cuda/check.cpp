#include "src/transfers/cuda/check.hpp"

#include <fmt/format.h>

#include "transfers/core/error.hpp"

namespace transfers::detail {

void cuda_check(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  const auto message =
      fmt::format("{}: {} ({})", call, cudaGetErrorName(code), cudaGetErrorString(code));
  cudaGetLastError();  // clears an error that is not sticky
  if (code == cudaErrorMemoryAllocation) throw out_of_memory(message);
  if (code == cudaErrorCallRequiresNewerDriver) throw unsupported(message);
  // Every later call returns a sticky error again; an ordinary error is cleared now.
  throw device_error(message, cudaFree(nullptr) != cudaSuccess);
}

}  // namespace transfers::detail
