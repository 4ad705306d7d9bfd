#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <new>

namespace transfers::detail {

/// The context of a device that the CUDA runtime uses and owns, created where there is none yet.
/// Whatever is current stays current. Throws device_error.
CUcontext primary_context(int device);

/// Makes a context current for the calling thread; its end restores the context that was current
/// before. Pushes on the driver's stack instead of calling cudaSetDevice(), because setting the
/// previous device again would create a context on it where there was none (CUDA Runtime API,
/// cudaSetDevice).
class current_context {
 public:
  /// Throw device_error.
  explicit current_context(CUcontext context);
  explicit current_context(cudaStream_t stream);  ///< the context that the stream belongs to

  /// For deleters: an error here has been reported by an earlier call, or the process is ending.
  current_context(CUcontext context, std::nothrow_t) noexcept;
  current_context(cudaStream_t stream, std::nothrow_t) noexcept;

  current_context(const current_context&) = delete;
  current_context& operator=(const current_context&) = delete;
  ~current_context();

 private:
  CUresult enter(CUcontext context) noexcept;
  CUresult enter(cudaStream_t stream) noexcept;

  bool pushed_ = false;
};

}  // namespace transfers::detail
