#include <cstdint>

#include "bench/cuda/check.hpp"
#include "bench/subjects/async_memory.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::subjects {

namespace {

struct pool_destroyer {
  using pointer = cudaMemPool_t;
  void operator()(cudaMemPool_t pool) const noexcept { cudaMemPoolDestroy(pool); }
};
using pool_handle = std::unique_ptr<cudaMemPool_t, pool_destroyer>;

pool_handle make_pool(int device) {
  int has_pools = 0;
  cuda_check(cudaDeviceGetAttribute(&has_pools, cudaDevAttrMemoryPoolsSupported, device),
             "cudaDeviceGetAttribute");
  if (has_pools == 0)
    throw transfers::unsupported(
        "the device has no memory pools (cudaDevAttrMemoryPoolsSupported is 0)");
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, device};
  cudaMemPool_t handle{};
  cuda_check(cudaMemPoolCreate(&handle, &properties), "cudaMemPoolCreate");
  pool_handle pool(handle);
  // By default a pool releases its memory at every synchronization.
  std::uint64_t keep_all = UINT64_MAX;
  cuda_check(cudaMemPoolSetAttribute(handle, cudaMemPoolAttrReleaseThreshold, &keep_all),
             "cudaMemPoolSetAttribute");
  return pool;
}

}  // namespace

std::function<std::shared_ptr<std::byte>(std::size_t)> async_allocator(
    const transfers::device& device, transfers::stream& stream) {
  if (device.description().kind != "cuda")
    throw transfers::unsupported(
        "cudaMallocAsync is CUDA's own; the host device has no counterpart");
  const auto native_stream = static_cast<cudaStream_t>(stream.native_handle());
  const std::shared_ptr<CUmemPoolHandle_st> pool(
      make_pool(device.description().cuda->index).release(), pool_destroyer{});
  return [pool, native_stream](std::size_t bytes) {
    void* memory = nullptr;
    cuda_check(cudaMallocFromPoolAsync(&memory, bytes, pool.get(), native_stream),
               "cudaMallocAsync");
    std::shared_ptr<std::byte> owner(static_cast<std::byte*>(memory),
                                     [pool, native_stream](std::byte* p) {
                                       cudaFreeAsync(p, native_stream);
                                       cudaStreamSynchronize(native_stream);
                                     });
    cuda_check(cudaStreamSynchronize(native_stream), "cudaStreamSynchronize");
    return owner;
  };
}

}  // namespace bench_transfers::bench::subjects
