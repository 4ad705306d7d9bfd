#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "transfers/core/device.hpp"

namespace bench_transfers::bench::subjects {

/// Allocates with cudaMallocAsync, from its own memory pool that keeps freed memory, and
/// synchronizes the stream; frees with cudaFreeAsync and synchronizes. Throws unsupported for
/// devices other than CUDA's and those without memory pools. The stream must outlive the returned
/// function.
std::function<std::shared_ptr<std::byte>(std::size_t)> async_allocator(
    const transfers::device& device, transfers::stream& stream);

}  // namespace bench_transfers::bench::subjects
