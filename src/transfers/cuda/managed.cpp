#include "transfers/fast/managed.hpp"

#include <cuda_runtime.h>

#include <stdexcept>

#include "src/transfers/cuda/check.hpp"
#include "src/transfers/cuda/current_context.hpp"
#include "src/transfers/cuda/toolkit.hpp"
#include "transfers/core/error.hpp"

namespace transfers {

using detail::cuda_check;

managed_memory::managed_memory(device& device, std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) throw invalid_argument("cannot allocate zero bytes of managed memory");
  if (const auto reason = why_no_managed_memory(device)) throw unsupported(*reason);
  device_index_ = device.description().cuda->index;
  auto* const context = detail::primary_context(device_index_);
  context_ = context;
  const detail::current_context current(context);
  void* memory = nullptr;
  cuda_check(cudaMallocManaged(&memory, bytes), "cudaMallocManaged");
  data_ = {static_cast<std::byte*>(memory), detail::in_context(context, cudaFree)};
}

void managed_memory::prefetch(stream& stream, residence target) const {
  const int place = target == residence::device ? device_index_ : cudaCpuDeviceId;
  auto* const native_stream = static_cast<cudaStream_t>(stream.native_handle());
  const detail::current_context current(stream);
  cuda_check(detail::prefetch(data(), bytes_, place, native_stream), "cudaMemPrefetchAsync");
}

std::optional<residence> managed_memory::prefetched_to() const {
  const detail::current_context current(static_cast<CUcontext>(context_));
  int place = cudaInvalidDeviceId;
  cuda_check(cudaMemRangeGetAttribute(&place, sizeof place,
                                      cudaMemRangeAttributeLastPrefetchLocation, data(), bytes_),
             "cudaMemRangeGetAttribute");
  if (place == cudaCpuDeviceId) return residence::host;
  return place == cudaInvalidDeviceId ? std::nullopt : std::optional(residence::device);
}

}  // namespace transfers
