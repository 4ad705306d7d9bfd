#pragma once

#include <cstddef>
#include <functional>

#include "transfers/core/device.hpp"

namespace bench_transfers::bench::subjects {

/// cudaMemcpy alone, of the current device. From pageable memory it may return before the data have
/// arrived. On the host device it is device::copy. The device must outlive the returned function,
/// which throws device_error.
std::function<void(std::byte* dst, const std::byte* src, std::size_t bytes)> plain_memcpy(
    transfers::device& device, transfers::direction direction);

}  // namespace bench_transfers::bench::subjects
