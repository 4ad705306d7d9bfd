#include "src/transfers/cuda/cuda_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "src/transfers/core/check_requests.hpp"
#include "src/transfers/cuda/called_function.hpp"
#include "src/transfers/cuda/check.hpp"
#include "src/transfers/cuda/cuda_calculate.hpp"
#include "src/transfers/cuda/cuda_event.hpp"
#include "src/transfers/cuda/cuda_graph.hpp"
#include "src/transfers/cuda/current_context.hpp"
#include "src/transfers/cuda/kernels.hpp"
#include "src/transfers/cuda/toolkit.hpp"
#include "transfers/core/error.hpp"

namespace transfers::detail {
namespace {

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
    enqueue_call(stream_.get(), failure_, std::move(function));
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
  std::shared_ptr<failure_of_calls> failure_ = std::make_shared<failure_of_calls>();
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
  // A null handle means "not a stream of CUDA" elsewhere.
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
