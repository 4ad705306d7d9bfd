#include "src/transfers/cuda/cuda_pool.hpp"

#include <cuda_runtime.h>
#include <fmt/format.h>

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "src/transfers/cuda/check.hpp"
#include "src/transfers/cuda/cuda_stream.hpp"
#include "src/transfers/cuda/current_context.hpp"
#include "transfers/core/error.hpp"

namespace transfers::detail {
namespace {

cudaStream_t native(const stream& stream) {
  if (stream.native_handle() == nullptr)
    throw invalid_argument("memory of a CUDA device needs a stream of CUDA");
  return static_cast<cudaStream_t>(stream.native_handle());
}

/// Blocks that are in use stay valid (CUDA Runtime API, cudaMemPoolDestroy). Ignores errors.
struct pool_closer {
  using pointer = cudaMemPool_t;
  CUcontext context{};
  void operator()(cudaMemPool_t pool) const noexcept {
    const current_context current(context, std::nothrow);
    cudaMemPoolDestroy(pool);
  }
};

class pool_of_device final : public cuda_pool {
 public:
  ~pool_of_device() override {
    const current_context current(context_, std::nothrow);
    free_parked();
  }
  pool_of_device(const pool_of_device&) = delete;
  pool_of_device& operator=(const pool_of_device&) = delete;

  /// The context must be current.
  pool_of_device(int device, CUcontext context, std::shared_ptr<const accessors> accessed_by)
      : context_(context), index_(device), accessed_by_(std::move(accessed_by)) {
    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, device};
    cudaMemPool_t created{};
    cuda_check(cudaMemPoolCreate(&created, &properties), "cudaMemPoolCreate");
    pool_ = {created, pool_closer{context}};
    // By default a pool gives all idle memory back at each synchronization.
    std::uint64_t keep_all = UINT64_MAX;
    cuda_check(cudaMemPoolSetAttribute(pool_.get(), cudaMemPoolAttrReleaseThreshold, &keep_all),
               "cudaMemPoolSetAttribute");
  }

  [[nodiscard]] device_identity identity() const noexcept override {
    return {context_, "cuda", index_, accessed_by_.get()};
  }

  [[nodiscard]] std::byte* allocate(std::size_t bytes, stream& stream) override {
    auto* const handle = native(stream);
    const current_context current(context_);
    if (!is_recording(handle)) {
      free_parked();
      return allocate_on(handle, bytes);
    }
    // In a graph, an allocation would be a node whose memory lives as long as a run. The memory has
    // to be there now, and its owner may free it later.
    auto* const block = allocate_on(outside_of_graphs_.get(), bytes);
    cuda_check(cudaStreamSynchronize(outside_of_graphs_.get()), "cudaStreamSynchronize");
    return block;
  }

  void deallocate(std::byte* block, std::size_t /*bytes*/, stream& stream) noexcept override {
    // Errors are ignored: an earlier call has reported them, or the process is ending.
    const current_context current(context_, std::nothrow);
    auto* const handle = static_cast<cudaStream_t>(stream.native_handle());
    auto state = cudaStreamCaptureStatusNone;
    cudaStreamIsCapturing(handle, &state);
    if (state == cudaStreamCaptureStatusNone) {
      cudaFreeAsync(block, handle);
      return;
    }
    // Not a node of the graph, and earlier work of the stream may still use the block.
    const std::scoped_lock lock(parked_mutex_);
    parked_.push_back(block);
  }

  [[nodiscard]] std::size_t held_bytes() const override {
    const current_context current(context_);
    std::uint64_t bytes = 0;
    cuda_check(cudaMemPoolGetAttribute(pool_.get(), cudaMemPoolAttrReservedMemCurrent, &bytes),
               "cudaMemPoolGetAttribute");
    return bytes;
  }

  bool release() override {
    const current_context current(context_);
    free_parked();
    cuda_check(cudaMemPoolTrimTo(pool_.get(), 0), "cudaMemPoolTrimTo");
    return held_bytes() == 0;
  }

  void permit(int peer) override {
    const current_context current(context_);
    cudaMemAccessDesc access{};
    access.location = {cudaMemLocationTypeDevice, peer};
    access.flags = cudaMemAccessFlagsProtReadWrite;
    cuda_check(cudaMemPoolSetAccess(pool_.get(), &access, 1), "cudaMemPoolSetAccess");
  }

 private:
  [[nodiscard]] std::byte* allocate_on(cudaStream_t handle, std::size_t bytes) const {
    void* block = nullptr;
    const auto code = cudaMallocFromPoolAsync(&block, bytes, pool_.get(), handle);
    if (code != cudaSuccess)
      cuda_check(code, fmt::format("cudaMallocFromPoolAsync of {} bytes", bytes).c_str());
    return static_cast<std::byte*>(block);
  }

  /// Frees what was given back during a recording, when all work is done; later, if a stream of the
  /// device is still recording, because then one cannot wait.
  void free_parked() noexcept {
    const std::scoped_lock lock(parked_mutex_);
    if (parked_.empty()) return;
    if (cudaDeviceSynchronize() != cudaSuccess) {
      cudaGetLastError();
      return;
    }
    for (auto* const block : parked_) cudaFreeAsync(block, outside_of_graphs_.get());
    parked_.clear();
  }

  static bool is_recording(cudaStream_t handle) {
    auto state = cudaStreamCaptureStatusNone;
    cuda_check(cudaStreamIsCapturing(handle, &state), "cudaStreamIsCapturing");
    return state != cudaStreamCaptureStatusNone;
  }

  CUcontext context_;
  int index_;
  std::shared_ptr<const accessors> accessed_by_;
  std::unique_ptr<cudaMemPool_t, pool_closer> pool_;
  stream_handle outside_of_graphs_ = make_stream(context_);
  std::mutex parked_mutex_;
  std::vector<std::byte*> parked_;  ///< given back while their stream was recording
};

}  // namespace

std::shared_ptr<cuda_pool> make_cuda_pool(int device, CUcontext context,
                                          std::shared_ptr<const accessors> accessed_by) {
  return std::make_shared<pool_of_device>(device, context, std::move(accessed_by));
}

}  // namespace transfers::detail
