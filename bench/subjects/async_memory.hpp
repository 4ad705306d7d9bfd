#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "transfers/core/device.hpp"

namespace bench_transfers::bench::subjects {

/// Where the memory of one of CUDA's pools lies: on the device, or in page-locked host memory that
/// the device can access, anywhere or on the NUMA node next to the device (that of the calling
/// thread, if CUDA names none).
enum class pooled_memory { device, host, host_numa };

/// What a pool does with freed memory: it keeps it for the next allocation, or gives it back to the
/// system at once.
enum class freed_memory { kept, given_back };

/// Allocates with cudaMallocFromPoolAsync, from a memory pool of its own, and synchronizes the
/// stream; frees with cudaFreeAsync, synchronizes and, if the pool keeps nothing, trims it. Throws
/// unsupported for devices other than CUDA's and those without such pools, device_error. The stream
/// must outlive the returned function, which throws device_error and out_of_memory.
std::function<std::shared_ptr<std::byte>(std::size_t)> async_allocator(
    const transfers::device& device, transfers::stream& stream, pooled_memory memory,
    freed_memory freed);

}  // namespace bench_transfers::bench::subjects
