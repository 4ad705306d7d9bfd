#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "transfers/core/device_view.hpp"
#include "transfers/core/typed_copy.hpp"

namespace transfers {

/// Copies from write-combined memory as fast as the processor can. Such memory is not cached: each
/// ordinary load waits for the bus, but a streaming load (MOVNTDQA, SSE4.1) fetches a whole line of
/// 64 bytes into a fill buffer, which serves the other loads of that line (Intel SDM vol. 1,
/// section 12.10.3; "Copying Accelerated Video Decode Frame Buffers", Intel 2008). From other kinds
/// of memory the copy is also correct, but slower than memcpy (by a quarter: docs/CPU_ACCESS.md).
/// On a processor without the instruction it is memcpy. Data written by a device must have arrived
/// (wait for its stream). Throws length_error if the sizes differ; the ranges must not
/// overlap.
void streaming_load(std::span<std::byte> dst, std::span<const std::byte> src);

/// Copies with non-temporal stores (MOVNTDQ): lines of the destination are neither read first nor
/// kept in caches (Intel SDM vol. 1, section 10.4.6.2). Use it for large data that the processor
/// does not need again soon; memcpy is faster for small data and for data that is read again. On a
/// processor without the instruction it is memcpy. Throws length_error if the sizes differ;
/// the ranges must not overlap.
void streaming_store(std::span<std::byte> dst, std::span<const std::byte> src);

/// The same for the elements of contiguous ranges.
template <host_elements Dst, host_elements Src>
void streaming_load(Dst&& dst, const Src& src) {
  static_assert(detail::outlives_expression<Dst>,
                "nobody gets what is copied to a temporary: it must outlive the copy");
  streaming_load(std::as_writable_bytes(std::span(dst)), std::as_bytes(std::span(src)));
}
template <host_elements Dst, host_elements Src>
void streaming_store(Dst&& dst, const Src& src) {
  static_assert(detail::outlives_expression<Dst>,
                "nobody gets what is copied to a temporary: it must outlive the copy");
  streaming_store(std::as_writable_bytes(std::span(dst)), std::as_bytes(std::span(src)));
}

/// Writes back the lines of `bytes` that caches have modified, and returns when that is done. The
/// copy engine then reads them from memory, instead of one by one from the caches of the cores that
/// have written them, which takes up to four times as long (docs/fast_paths/lines.md). Threads that
/// have written call it for what is theirs: lines of the own core are written back fastest. By
/// CLWB, or CLFLUSHOPT or CLFLUSH, which also evict them (Intel SDM vol. 2A), and on AArch64 DC
/// CVAC. Elsewhere it does nothing.
void write_back(std::span<const std::byte> bytes) noexcept;

/// Returns why streaming_load is only memcpy on this processor; nullopt if it is more.
[[nodiscard]] std::optional<std::string> why_no_streaming_loads();

}  // namespace transfers
