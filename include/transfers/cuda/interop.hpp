#pragma once

#include <cuda_runtime_api.h>

#include <concepts>
#include <memory>

#include "transfers/core/device.hpp"
#include "transfers/core/error.hpp"

// Streams of the CUDA Runtime, in both directions. This header needs the CUDA Toolkit; the others
// do not.

namespace transfers {

/// Returns a stream for a cudaStream_t of this device that the caller has made and destroys, after
/// the returned owner; 0 is the legacy default stream. Throws unsupported for host devices,
/// invalid_argument for a stream of another device, device_error.
[[nodiscard]] inline std::unique_ptr<stream> adopt_stream(device& device, cudaStream_t native) {
  return device.adopt_stream(native);
}

/// The same for cuda::stream_ref, and types that wrap a stream like it.
template <class StreamRef>
requires requires(const StreamRef& reference) {
  { reference.get() } -> std::convertible_to<cudaStream_t>;
}
[[nodiscard]] std::unique_ptr<stream> adopt_stream(device& device, const StreamRef& reference) {
  return device.adopt_stream(reference.get());
}

/// Returns the stream for the caller's own CUDA code; a cuda::stream_ref can be made of it. Throws
/// unsupported for streams of host devices.
[[nodiscard]] inline cudaStream_t native_stream(const stream& stream) {
  auto* const native = static_cast<cudaStream_t>(stream.native_handle());
  if (native == nullptr) throw unsupported("the host device has no streams of CUDA");
  return native;
}

}  // namespace transfers
