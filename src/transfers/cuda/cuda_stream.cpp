#include "src/transfers/cuda/cuda_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <stdexcept>
#include <utility>

#include "src/transfers/core/check_requests.hpp"
#include "src/transfers/core/lengths.hpp"
#include "src/transfers/cuda/check.hpp"
#include "src/transfers/cuda/cuda_calculate.hpp"
#include "src/transfers/cuda/cuda_graph.hpp"
#include "src/transfers/cuda/current_context.hpp"
#include "src/transfers/cuda/kernels.hpp"
#include "src/transfers/cuda/toolkit.hpp"
#include "transfers/core/error.hpp"

namespace transfers::detail {
namespace {

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

event_handle make_event(CUcontext context, unsigned flags) {
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

/// Each function makes the context current before it calls CUDA, also if it only asks. Functions
/// whose work cannot be recorded into a graph ask is_recording() and throw unsupported.
class cuda_stream final : public stream {
 public:
  /// The context must be current.
  cuda_stream(int device, CUcontext context, stream_handle handle)
      : context_(context),
        index_(device),
        multiprocessors_(attribute(cudaDevAttrMultiProcessorCount, device)),
        stream_(std::move(handle)) {}

  void copy(std::byte* dst, const std::byte* src, std::size_t bytes, direction direction) override {
    const current_context current(context_);
    cuda_check(cudaMemcpyAsync(dst, src, bytes, memcpy_kind(direction), stream_.get()),
               "cudaMemcpyAsync");
  }

  void copy_d2d(std::byte* dst, const std::byte* src, std::size_t bytes) override {
    const current_context current(context_);
    const int dst_device = device_of_memory(dst);
    const int src_device = device_of_memory(src);
    if (dst_device == src_device)
      cuda_check(cudaMemcpyAsync(dst, src, bytes, cudaMemcpyDefault, stream_.get()),
                 "cudaMemcpyAsync");
    else  // cudaMemcpyAsync refuses memory of a pool that the stream's device may not access
      cuda_check(cudaMemcpyPeerAsync(dst, dst_device, src, src_device, bytes, stream_.get()),
                 "cudaMemcpyPeerAsync");
  }

  void copy_by_kernel(std::byte* dst, const std::byte* src, std::size_t bytes,
                      unsigned most_blocks) override {
    const current_context current(context_);
    launch_copy(dst, src, bytes, multiprocessors_, most_blocks, stream_.get());
  }

  void copy_batch(std::span<std::byte* const> destinations,
                  std::span<const std::byte* const> sources, std::span<const std::size_t> sizes,
                  direction direction) override {
    check_lengths(destinations.size(), sources.size(), sizes.size());
    if (sizes.empty()) return;
    const current_context current(context_);
    // cudaMemcpyBatchAsync refuses the legacy default stream.
    if (stream_.get() == cudaStreamLegacy || !has_batches()) {
      for (std::size_t i = 0; i < sizes.size(); ++i)
        cuda_check(cudaMemcpyAsync(destinations[i], sources[i], sizes[i], memcpy_kind(direction),
                                   stream_.get()),
                   "cudaMemcpyAsync");
      return;
    }
    constexpr int in_stream_order = 1;  // cudaMemcpySrcAccessOrderStream
    cuda_check(copy_in_batch(
                   // Pointers to bytes are pointers to void for the driver, which reads them only.
                   reinterpret_cast<void* const*>(destinations.data()),
                   reinterpret_cast<const void* const*>(sources.data()), sizes.data(), sizes.size(),
                   in_stream_order, stream_.get()),
               "cudaMemcpyBatchAsync");
  }

  void copy_pieces(const scattered_piece* table, std::size_t pieces, std::byte* on_device,
                   direction direction) override {
    if (pieces == 0) return;
    const current_context current(context_);
    launch_pieces(table, pieces, on_device, direction, multiprocessors_, stream_.get());
  }

  void copy_pitched(pitched<std::byte> dst, pitched<const std::byte> src, pitched_extent extent,
                    direction direction) override {
    const current_context current(context_);
    if (extent.slices == 1) {
      cuda_check(
          cudaMemcpy2DAsync(dst.data, dst.row_pitch, src.data, src.row_pitch, extent.row_bytes,
                            extent.rows, memcpy_kind(direction), stream_.get()),
          "cudaMemcpy2DAsync");
      return;
    }
    cudaMemcpy3DParms parameters{};
    parameters.srcPtr = pitched_pointer(const_cast<std::byte*>(src.data), src.row_pitch,
                                        src.slice_pitch);  // CUDA has one type for both ends
    parameters.dstPtr = pitched_pointer(dst.data, dst.row_pitch, dst.slice_pitch);
    parameters.extent = make_cudaExtent(extent.row_bytes, extent.rows, extent.slices);
    parameters.kind = memcpy_kind(direction);
    cuda_check(cudaMemcpy3DAsync(&parameters, stream_.get()), "cudaMemcpy3DAsync");
  }

  void clear(std::byte* memory, std::size_t bytes) override {
    const current_context current(context_);
    cuda_check(cudaMemsetAsync(memory, 0, bytes, stream_.get()), "cudaMemsetAsync");
  }

  void fill(std::byte* memory, std::span<const std::byte> element, std::size_t elements) override {
    const current_context current(context_);
    check_fill(element.size());
    if (elements == 0) return;
    if (std::ranges::equal(element.first(element.size() - 1), element.last(element.size() - 1))) {
      cuda_check(cudaMemsetAsync(memory, std::to_integer<int>(element[0]),
                                 elements * element.size(), stream_.get()),
                 "cudaMemsetAsync");
      return;
    }
    fill_on_cuda(stream_.get(), memory, element, elements);
  }

  void write_sequence(const sequence& sequence) override {
    check_arithmetic(sequence.type);
    const current_context current(context_);
    write_sequence_on_cuda(stream_.get(), sequence);
  }

  void calculate(const elementwise_operation& operation) override {
    check_arithmetic(operation.type);
    const current_context current(context_);
    calculate_on_cuda(stream_.get(), operation);
  }

  void convert(const conversion& request) override {
    const current_context current(context_);
    convert_on_cuda(stream_.get(), request);
  }

  [[nodiscard]] element_value reduce(const reduction& request) override {
    const current_context current(context_);
    check_reduction(request);
    if (request.elements == 0) return {};  // zero in every type
    if (is_recording())
      throw unsupported("a reduction returns a value: it cannot be recorded into a graph");
    return reduce_on_cuda(stream_.get(), request);
  }

  void call(std::function<void()> function) override {
    const current_context current(context_);
    // A graph would call the function repeatedly, and could not own it.
    if (is_recording()) throw unsupported("a function call cannot be recorded into a graph");
    auto pending = std::make_unique<called>(failure_, std::move(function));
    cuda_check(cudaLaunchHostFunc(stream_.get(), run_called, pending.get()), "cudaLaunchHostFunc");
    static_cast<void>(pending.release());  // run_called owns it now
  }

  [[nodiscard]] std::unique_ptr<event> record(event_timing timing) override {
    const current_context current(context_);
    return std::make_unique<cuda_event>(context_, stream_.get(), timing);
  }

  void record_again(event& recorded) override {
    auto* const of_cuda = dynamic_cast<cuda_event*>(&recorded);
    if (of_cuda == nullptr)
      throw invalid_argument("a stream of a CUDA device records only events of CUDA devices");
    const current_context current(context_);
    cuda_check(cudaEventRecord(of_cuda->get(), stream_.get()), "cudaEventRecord");
  }

  /// The call itself notes the event's work: the event may be destroyed or recorded again after it.
  void wait(const event& event) override {
    const auto* const point = dynamic_cast<const cuda_event*>(&event);
    if (point == nullptr)
      throw invalid_argument("a stream of a CUDA device waits only for events of CUDA devices");
    const current_context current(context_);
    cuda_check(cudaStreamWaitEvent(stream_.get(), point->get(), cudaEventWaitDefault),
               "cudaStreamWaitEvent");
  }

  [[nodiscard]] bool is_recording() const override {
    const current_context current(context_);
    auto state = cudaStreamCaptureStatusNone;
    cuda_check(cudaStreamIsCapturing(stream_.get(), &state), "cudaStreamIsCapturing");
    return state != cudaStreamCaptureStatusNone;
  }

  [[nodiscard]] std::function<void()> record_graph(const std::function<void()>& work) override {
    return record_cuda_graph(*this, work);
  }

  [[nodiscard]] void* native_handle() const noexcept override { return stream_.get(); }
  [[nodiscard]] void* native_context() const noexcept override { return context_; }
  [[nodiscard]] device_identity identity() const noexcept override {
    return {context_, "cuda", index_};
  }

  void synchronize() override {
    const current_context current(context_);
    cuda_check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
    failure_->rethrow();
  }

 private:
  /// Keeps the first exception of a called function for the next synchronize().
  class failure {
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
  struct called {
    std::shared_ptr<failure> failures;
    std::function<void()> function;
  };

  static void CUDART_CB run_called(void* pending) {
    const std::unique_ptr<called> call(static_cast<called*>(pending));
    try {
      call->function();
    } catch (...) {
      call->failures->keep(std::current_exception());
    }
  }

  static int device_of_memory(const std::byte* address) {
    cudaPointerAttributes attributes{};
    cuda_check(cudaPointerGetAttributes(&attributes, address), "cudaPointerGetAttributes");
    return attributes.device;
  }

  static cudaPitchedPtr pitched_pointer(std::byte* data, std::size_t row_pitch,
                                        std::size_t slice_pitch) {
    return make_cudaPitchedPtr(data, row_pitch, row_pitch, slice_pitch / row_pitch);
  }

  CUcontext context_;
  int index_;
  int multiprocessors_;
  std::shared_ptr<failure> failure_ = std::make_shared<failure>();
  stream_handle stream_;
};

}  // namespace

void stream_closer::operator()(cudaStream_t stream) const noexcept {
  if (!owns) return;
  const current_context current(context, std::nothrow);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
}

int greatest_priority() {
  int least = 0;
  int greatest = 0;
  cuda_check(cudaDeviceGetStreamPriorityRange(&least, &greatest),
             "cudaDeviceGetStreamPriorityRange");
  return greatest;
}

stream_handle make_stream(CUcontext context, int priority) {
  cudaStream_t stream{};
  cuda_check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, priority),
             "cudaStreamCreateWithPriority");
  return {stream, {context}};
}

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  cuda_check(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

std::unique_ptr<stream> create_cuda_stream(int device, CUcontext context, int priority) {
  return std::make_unique<cuda_stream>(device, context, make_stream(context, priority));
}

std::unique_ptr<stream> adopt_cuda_stream(int device, CUcontext context, cudaStream_t native) {
  // Its name of its own, because elsewhere a null handle means "not a stream of CUDA".
  if (native == nullptr) native = cudaStreamLegacy;
  if (native == cudaStreamPerThread)
    throw invalid_argument("cudaStreamPerThread is another stream in each thread: adopt a stream");
  const int owner = native == cudaStreamLegacy ? device : device_of(native);
  if (owner != device)
    throw invalid_argument(
        fmt::format("a stream of cuda:{} cannot run work of cuda:{}", owner, device));
  return std::make_unique<cuda_stream>(device, context, stream_handle(native, {context, false}));
}

}  // namespace transfers::detail
