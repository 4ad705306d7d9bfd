#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <memory>

#include "transfers/core/stream.hpp"

namespace transfers::detail {

/// Ignores errors: an earlier call has reported them, or the process is ending.
struct stream_closer {
  using pointer = cudaStream_t;
  CUcontext context{};
  bool owns = true;  ///< false for a stream of other code, which stays as it is
  void operator()(cudaStream_t stream) const noexcept;
};
using stream_handle = std::unique_ptr<cudaStream_t, stream_closer>;

/// The priority of streams that are made without any.
inline constexpr int default_priority = 0;
/// The highest priority of the current device, which is the least number. Throws device_error.
int greatest_priority();

/// Creates a non-blocking stream of the context, which must be current. Throws device_error.
stream_handle make_stream(CUcontext context, int priority = default_priority);

constexpr cudaMemcpyKind memcpy_kind(direction direction) {
  return direction == direction::h2d ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
}

/// Throws device_error.
int attribute(cudaDeviceAttr which, int device);

/// A stream of a device's context, which must be current. Throws device_error.
std::unique_ptr<stream> create_cuda_stream(int device, CUcontext context,
                                           int priority = default_priority);
/// See device::adopt_stream. Throws invalid_argument for a stream of another device, device_error.
std::unique_ptr<stream> adopt_cuda_stream(int device, CUcontext context, cudaStream_t native);

}  // namespace transfers::detail
