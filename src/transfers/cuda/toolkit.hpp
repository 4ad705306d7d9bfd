#pragma once

#include <cuda_runtime.h>

#include <cstddef>

// What differs between the CUDA toolkits from TRANSFERS_MINIMUM_CUDA on: no other file asks for
// their version.

namespace transfers::detail {

/// Where cudaMemAdvise() and cudaMemPrefetchAsync() have memory: on a device, or on the host
/// (cudaCpuDeviceId). Before 13.0, in the form that all drivers of CUDA 12 know.
#if CUDART_VERSION >= 13000
inline cudaMemLocation place_of(int device) {
  if (device == cudaCpuDeviceId) return {cudaMemLocationTypeHost, 0};
  return {cudaMemLocationTypeDevice, device};
}
#else
inline int place_of(int device) { return device; }
#endif

inline cudaError_t prefetch(const void* memory, std::size_t bytes, int device,
                            cudaStream_t stream) {
#if CUDART_VERSION >= 13000
  constexpr unsigned no_flags = 0;
  return cudaMemPrefetchAsync(memory, bytes, place_of(device), no_flags, stream);
#else
  return cudaMemPrefetchAsync(memory, bytes, place_of(device), stream);
#endif
}

/// cudaGetDriverEntryPointByVersion(), which is of 12.5. Before, the function has the form of the
/// toolkit's own version.
inline cudaError_t find_in_driver(const char* name, void** address,
                                  [[maybe_unused]] unsigned version,
                                  cudaDriverEntryPointQueryResult* state) {
#if CUDART_VERSION >= 12050
  return cudaGetDriverEntryPointByVersion(name, address, version, cudaEnableDefault, state);
#else
  return cudaGetDriverEntryPoint(name, address, cudaEnableDefault, state);
#endif
}

/// Attributes by their numbers, because older toolkits have no names for them.
constexpr auto has_host_pools = static_cast<cudaDeviceAttr>(144);
constexpr auto has_host_numa_pools = static_cast<cudaDeviceAttr>(142);
#if CUDART_VERSION >= 13000
static_assert(has_host_pools == cudaDevAttrHostMemoryPoolsSupported);
static_assert(has_host_numa_pools == cudaDevAttrHostNumaMemoryPoolsSupported);
#endif

/// Whether toolkit and driver have cudaMemcpyBatchAsync().
inline bool has_batches() {
  constexpr int first_version = 12080;
  static const bool both = [] {
    int driver = 0;
    return CUDART_VERSION >= first_version && cudaDriverGetVersion(&driver) == cudaSuccess &&
           driver >= first_version;
  }();
  return both;
}

/// cudaMemcpyBatchAsync() with one attribute for all copies: `source_access_order`, a
/// cudaMemcpySrcAccessOrder.
inline cudaError_t copy_in_batch([[maybe_unused]] void* const* destinations,
                                 [[maybe_unused]] const void* const* sources,
                                 [[maybe_unused]] const std::size_t* sizes,
                                 [[maybe_unused]] std::size_t count,
                                 [[maybe_unused]] int source_access_order,
                                 [[maybe_unused]] cudaStream_t stream) {
#if CUDART_VERSION >= 12080
  static_assert(cudaMemcpySrcAccessOrderStream == 1 && cudaMemcpySrcAccessOrderDuringApiCall == 2 &&
                cudaMemcpySrcAccessOrderAny == 3);
  cudaMemcpyAttributes attributes{};
  attributes.srcAccessOrder = static_cast<cudaMemcpySrcAccessOrder>(source_access_order);
  std::size_t first_with_attributes = 0;
#if CUDART_VERSION >= 13000
  return cudaMemcpyBatchAsync(destinations, sources, sizes, count, &attributes,
                              &first_with_attributes, 1, stream);
#else
  std::size_t failed = 0;  // all that the call writes: the lists are not const in its declaration
  return cudaMemcpyBatchAsync(const_cast<void**>(destinations), const_cast<void**>(sources),
                              const_cast<std::size_t*>(sizes), count, &attributes,
                              &first_with_attributes, 1, &failed, stream);
#endif
#else
  return cudaErrorCallRequiresNewerDriver;
#endif
}

}  // namespace transfers::detail
