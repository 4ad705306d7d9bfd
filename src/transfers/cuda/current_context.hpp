#pragma once

#include <cuda.h>

#include <memory>
#include <new>

#include "transfers/core/stream.hpp"

namespace transfers::detail {

/// The context of a device that the CUDA runtime uses and owns, created where there is none yet.
/// Whatever is current stays current. Throws device_error.
CUcontext primary_context(int device);

/// Makes a context current until the owner returned goes, in the same thread, also where it is
/// current already: what is set to be current meanwhile is forgotten. Throws device_error.
std::shared_ptr<const void> pushed(CUcontext context);

/// Makes a context current for the calling thread; its end restores the context that was current
/// before. Pushes on the driver's stack instead of calling cudaSetDevice(), because setting the
/// previous device again would create a context on it where there was none (CUDA Runtime API,
/// cudaSetDevice).
class current_context {
 public:
  /// Throws device_error.
  explicit current_context(CUcontext context);
  /// The context of a CUDA stream. Throws device_error.
  explicit current_context(const stream& work)
      : current_context(static_cast<CUcontext>(work.native_context())) {}
  /// For deleters: an error here has been reported by an earlier call, or the process is ending.
  current_context(CUcontext context, std::nothrow_t) noexcept;

  current_context(const current_context&) = delete;
  current_context& operator=(const current_context&) = delete;
  ~current_context();

 private:
  CUresult enter(CUcontext context) noexcept;

  bool pushed_ = false;
};

}  // namespace transfers::detail
