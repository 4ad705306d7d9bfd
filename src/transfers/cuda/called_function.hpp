#pragma once

#include <cuda_runtime.h>

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "src/transfers/cuda/check.hpp"

// Functions that CUDA calls in the order of a stream's work, in a thread of its own.

namespace transfers::detail {

/// Keeps the first exception of a stream's called functions for the next synchronize().
class failure_of_calls {
 public:
  void keep(std::exception_ptr exception) {
    const std::scoped_lock lock(mutex_);
    if (!exception_) exception_ = std::move(exception);
  }
  void rethrow() {
    std::exception_ptr exception;
    {
      const std::scoped_lock lock(mutex_);
      exception = std::exchange(exception_, nullptr);
    }
    if (exception) std::rethrow_exception(exception);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr exception_;
};

struct called_function {
  std::shared_ptr<failure_of_calls> failures;
  std::function<void()> function;
};

/// Takes over the called_function that CUDA passes.
inline void CUDART_CB run_called(void* pending) {
  const std::unique_ptr<called_function> call(static_cast<called_function*>(pending));
  try {
    call->function();
  } catch (...) {
    call->failures->keep(std::current_exception());
  }
}

/// The stream's context must be current. Throws device_error.
inline void enqueue_call(cudaStream_t stream, const std::shared_ptr<failure_of_calls>& failures,
                         std::function<void()>&& function) {
  auto pending = std::make_unique<called_function>(failures, std::move(function));
  cuda_check(cudaLaunchHostFunc(stream, run_called, pending.get()), "cudaLaunchHostFunc");
  static_cast<void>(pending.release());  // run_called owns it now
}

}  // namespace transfers::detail
