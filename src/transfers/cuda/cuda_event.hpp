#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <chrono>
#include <memory>
#include <new>

#include "src/transfers/cuda/check.hpp"
#include "src/transfers/cuda/current_context.hpp"
#include "transfers/core/error.hpp"
#include "transfers/core/stream.hpp"

namespace transfers::detail {

/// Like stream_closer.
struct event_closer {
  using pointer = cudaEvent_t;
  CUcontext context{};
  void operator()(cudaEvent_t event) const noexcept {
    const current_context current(context, std::nothrow);
    cudaEventDestroy(event);
  }
};
using event_handle = std::unique_ptr<cudaEvent_t, event_closer>;

inline event_handle make_event(CUcontext context, unsigned flags) {
  cudaEvent_t event{};
  cuda_check(cudaEventCreateWithFlags(&event, flags), "cudaEventCreateWithFlags");
  return {event, {context}};
}

class cuda_event final : public event {
 public:
  /// The context must be current.
  cuda_event(CUcontext context, cudaStream_t stream, event_timing timing)
      : event_(make_event(context,
                          timing == event_timing::on ? cudaEventDefault : cudaEventDisableTiming)),
        has_time_(timing == event_timing::on) {
    cuda_check(cudaEventRecord(event_.get(), stream), "cudaEventRecord");
  }

  [[nodiscard]] bool done() const override {
    const current_context current(event_.get_deleter().context);
    const auto state = cudaEventQuery(event_.get());
    if (state == cudaErrorNotReady) {
      cudaGetLastError();  // clears the code, which is no error
      return false;
    }
    cuda_check(state, "cudaEventQuery");
    return true;
  }
  void wait() const override {
    const current_context current(event_.get_deleter().context);
    cuda_check(cudaEventSynchronize(event_.get()), "cudaEventSynchronize");
  }

  [[nodiscard]] std::chrono::duration<double, std::nano> time_since(
      const event& earlier) const override {
    const auto* const first = dynamic_cast<const cuda_event*>(&earlier);
    if (first == nullptr || first->context() != context())
      throw invalid_argument("there is no time between events of different devices");
    if (!first->has_time_ || !has_time_)
      throw invalid_argument("an event recorded with event_timing::off has no time");
    first->wait();
    wait();
    const current_context current(context());
    float milliseconds = 0;
    cuda_check(cudaEventElapsedTime(&milliseconds, first->event_.get(), event_.get()),
               "cudaEventElapsedTime");
    return std::chrono::duration<double, std::milli>(milliseconds);
  }

  [[nodiscard]] cudaEvent_t get() const noexcept { return event_.get(); }

 private:
  [[nodiscard]] CUcontext context() const noexcept { return event_.get_deleter().context; }

  event_handle event_;
  bool has_time_;
};

}  // namespace transfers::detail
