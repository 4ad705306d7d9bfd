#pragma once

#include <cstddef>
#include <limits>

#include "transfers/core/device.hpp"

namespace bench_transfers::bench {

/// Returns how many multiprocessors stream::copy_by_kernel occupies: its blocks spread over all of
/// them (tests/gpu/copy_kernel_test.cpp). 0 for host devices.
[[nodiscard]] std::size_t copy_kernel_multiprocessors(
    const transfers::device_description& description, const std::byte* dst, const std::byte* src,
    std::size_t bytes, unsigned most_blocks = std::numeric_limits<unsigned>::max());

}  // namespace bench_transfers::bench
