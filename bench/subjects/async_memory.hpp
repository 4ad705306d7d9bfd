#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "transfers/core/device.hpp"

namespace bench_transfers::bench::subjects {

/// cudaMallocAsync from a memory pool of its own that keeps everything given back, and a wait for
/// the stream; freed by cudaFreeAsync and a wait. Throws unsupported for devices that are not
/// CUDA's or have no memory pools. The stream must outlive what the function returns.
std::function<std::shared_ptr<std::byte>(std::size_t)> async_allocator(const transfers::device& on,
                                                                       transfers::stream& in);

}  // namespace bench_transfers::bench::subjects
