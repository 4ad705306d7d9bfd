#pragma once

#include <cuda.h>

#include <cstddef>
#include <memory>
#include <new>

#include "transfers/core/stream.hpp"

namespace transfers::detail {

/// The primary context of a device, which the CUDA runtime owns; created if there is none. Does not
/// change the current context. Throws device_error.
CUcontext primary_context(int device);

/// The device of a stream (cudaStreamGetDevice(), which is of CUDA 12.8). Throws device_error.
int device_of(CUstream stream);

/// Makes a context current until the same thread destroys the returned owner. It is pushed even if
/// it is current already, so that the owner also undoes later changes. Throws device_error.
std::shared_ptr<const void> pushed(CUcontext context);

/// Makes a context current for the calling thread; the destructor restores the previous context.
/// Pushes on the driver's stack instead of calling cudaSetDevice(), because setting the previous
/// device again would create a context on it if it had none (CUDA Runtime API, cudaSetDevice).
class current_context {
 public:
  /// Throws device_error.
  explicit current_context(CUcontext context);
  /// The context of a CUDA stream. Throws device_error.
  explicit current_context(const stream& work)
      : current_context(static_cast<CUcontext>(work.native_context())) {}
  /// For deleters; ignores errors: an earlier call has reported them, or the process is ending.
  current_context(CUcontext context, std::nothrow_t) noexcept;

  current_context(const current_context&) = delete;
  current_context& operator=(const current_context&) = delete;
  ~current_context();

 private:
  CUresult enter(CUcontext context) noexcept;

  bool pushed_ = false;
};

/// A deleter that calls `free` in the context of the memory.
template <class Free>
auto in_context(CUcontext context, Free free) {
  return [free, context](std::byte* memory) {
    const current_context current(context, std::nothrow);
    free(memory);
  };
}

}  // namespace transfers::detail
