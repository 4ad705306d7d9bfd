#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "transfers/core/device.hpp"

namespace bench_transfers::bench::subjects {

/// Why a device cannot make bulk copies (cp.async.bulk), in one line; nullopt if it can.
std::optional<std::string> why_no_bulk_copies(const transfers::device& device);

/// Enqueues a kernel that copies by bulk copies through shared memory: `blocks` blocks of one warp,
/// each of which keeps 96 KiB under way. Both addresses are those in kernels, multiples of 16. The
/// stream must outlive the returned function, which throws device_error. Throws unsupported where
/// why_no_bulk_copies() says why, device_error.
std::function<void(std::byte* dst, const std::byte* src, std::size_t bytes)> bulk_copy_kernel(
    const transfers::device& device, transfers::stream& stream, unsigned blocks);

}  // namespace bench_transfers::bench::subjects
