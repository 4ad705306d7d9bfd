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
  // Every later call returns a sticky error again; an ordinary error is cleared now. While another
  // thread records a graph, this call may be refused, too.
  const auto later = cudaFree(nullptr);
  const bool refused =
      later >= cudaErrorStreamCaptureUnsupported && later <= cudaErrorStreamCaptureWrongThread;
  if (refused) cudaGetLastError();
  throw device_error(message, later != cudaSuccess && !refused);
}

}  // namespace transfers::detail
