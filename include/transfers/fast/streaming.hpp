#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace transfers {

/// Copies out of write-combined memory as fast as a processor can. Such memory is not cached: each
/// ordinary load waits for the bus by itself, but a streaming load (MOVNTDQA, SSE4.1) fetches a
/// whole line of 64 bytes into a fill buffer, from which the others of that line are served (Intel
/// SDM vol. 1, section 12.10.3; "Copying Accelerated Video Decode Frame Buffers", Intel 2008). From
/// memory of any other kind it is correct too, and slower than memcpy (by a quarter:
/// docs/CPU_ACCESS.md). Where the processor has no such instruction it is memcpy. What a device has
/// written must have arrived before (wait for its stream). Throws std::length_error when the sizes
/// differ; the two must not overlap.
void streaming_load(std::span<std::byte> dst, std::span<const std::byte> src);

/// Copies with non-temporal stores (MOVNTDQ): lines of the destination are neither read first nor
/// kept in caches (Intel SDM vol. 1, section 10.4.6.2). For much that the processor does not need
/// again soon: for little, and for what is read again, memcpy is faster. Where the processor has no
/// such instruction it is memcpy. Throws std::length_error when the sizes differ; the two must not
/// overlap.
void streaming_store(std::span<std::byte> dst, std::span<const std::byte> src);

/// Why streaming_load is no more than memcpy on this processor; nullopt where it is.
[[nodiscard]] std::optional<std::string> why_no_streaming_loads();

}  // namespace transfers
