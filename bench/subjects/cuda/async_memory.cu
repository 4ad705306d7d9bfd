#include <cstdint>
#include <string>

#include "bench/cuda/check.hpp"
#include "bench/subjects/async_memory.hpp"
#include "src/machine/current_numa_node.hpp"
#include "src/transfers/cuda/cuda_stream.hpp"
#include "src/transfers/cuda/toolkit.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::subjects {
namespace {

using transfers::detail::attribute;

struct pool_destroyer {
  void operator()(cudaMemPool_t pool) const noexcept { cudaMemPoolDestroy(pool); }
};

/// What a device must be able to do for a pool.
struct needed_attribute {
  cudaDeviceAttr number;
  const char* name;
};

needed_attribute attribute_for(pooled_memory memory) {
  switch (memory) {
    case pooled_memory::device:
      return {cudaDevAttrMemoryPoolsSupported, "cudaDevAttrMemoryPoolsSupported"};
    case pooled_memory::host:
      return {transfers::detail::has_host_pools, "cudaDevAttrHostMemoryPoolsSupported"};
    case pooled_memory::host_numa: break;
  }
  return {transfers::detail::has_host_numa_pools, "cudaDevAttrHostNumaMemoryPoolsSupported"};
}

/// CUDA knows no node in virtual machines that hide it.
int host_node(int device) {
  const int node = attribute(cudaDevAttrHostNumaId, device);
  if (node >= 0) return node;
  return machine::current_numa_node().value_or(0);
}

cudaMemLocation location_of(pooled_memory memory, int device) {
  cudaMemLocation location{};
  switch (memory) {
    case pooled_memory::device:
      location.type = cudaMemLocationTypeDevice;
      location.id = device;
      break;
    case pooled_memory::host: location.type = cudaMemLocationTypeHost; break;
    case pooled_memory::host_numa:
      location.type = cudaMemLocationTypeHostNuma;
      location.id = host_node(device);
      break;
  }
  return location;
}

std::shared_ptr<CUmemPoolHandle_st> make_pool(int device, pooled_memory memory,
                                              freed_memory freed) {
  const auto [number, name] = attribute_for(memory);
  if (attribute(number, device) == 0)
    throw transfers::unsupported("the device has no such memory pools (" + std::string(name) +
                                 " is 0)");
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = location_of(memory, device);
  cudaMemPool_t handle{};
  cuda_check(cudaMemPoolCreate(&handle, &properties), "cudaMemPoolCreate");
  std::shared_ptr<CUmemPoolHandle_st> pool(handle, pool_destroyer{});
  // By default a pool releases its memory at every synchronization.
  std::uint64_t kept = freed == freed_memory::kept ? UINT64_MAX : 0;
  cuda_check(cudaMemPoolSetAttribute(handle, cudaMemPoolAttrReleaseThreshold, &kept),
             "cudaMemPoolSetAttribute");
  if (memory != pooled_memory::device) {  // by default only the host can access it
    cudaMemAccessDesc access{};
    access.location = location_of(pooled_memory::device, device);
    access.flags = cudaMemAccessFlagsProtReadWrite;
    cuda_check(cudaMemPoolSetAccess(handle, &access, 1), "cudaMemPoolSetAccess");
  }
  return pool;
}

}  // namespace

std::function<std::shared_ptr<std::byte>(std::size_t)> async_allocator(
    const transfers::device& device, transfers::stream& stream, pooled_memory memory,
    freed_memory freed) {
  if (device.description().kind != "cuda")
    throw transfers::unsupported(
        "cudaMallocFromPoolAsync is CUDA's own; the host device has no counterpart");
  const auto native_stream = static_cast<cudaStream_t>(stream.native_handle());
  const auto pool = make_pool(device.description().cuda->index, memory, freed);
  const auto give_back = [pool, native_stream, freed](std::byte* p) {
    cudaFreeAsync(p, native_stream);
    cudaStreamSynchronize(native_stream);
    if (freed == freed_memory::given_back) cudaMemPoolTrimTo(pool.get(), 0);
  };
  return [pool, native_stream, give_back](std::size_t bytes) {
    void* data = nullptr;
    cuda_check(cudaMallocFromPoolAsync(&data, bytes, pool.get(), native_stream),
               "cudaMallocFromPoolAsync");
    std::shared_ptr<std::byte> owner(static_cast<std::byte*>(data), give_back);
    cuda_check(cudaStreamSynchronize(native_stream), "cudaStreamSynchronize");
    return owner;
  };
}

}  // namespace bench_transfers::bench::subjects
