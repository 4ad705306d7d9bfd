#pragma once

#include <cstddef>

#include "transfers/core/stream.hpp"

namespace transfers::detail {

/// Enqueues the kernel of polite_copier on a CUDA stream. The host's end is given by its address in
/// kernels. Throws device_error, and unsupported in a build without CUDA.
void launch_polite_copy(stream& stream, std::byte* dst, const std::byte* src, std::size_t bytes,
                        direction direction);

}  // namespace transfers::detail
