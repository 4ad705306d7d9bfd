#pragma once

#include <map>
#include <span>

#include "bench/cpu/instructions.hpp"
#include "bench/strategy/buffers.hpp"
#include "src/machine/memory_type.hpp"

namespace bench_transfers::bench::cpu {

/// Bytes of one read: 16 KiB of uncached memory take up to 0.2 ms.
inline constexpr std::size_t probed_bytes = std::size_t{16} << 10;

/// Times of two blocks of memory.
struct probed_pair {
  machine::access_times memory, ordinary;
};

/// Reads both blocks in turn, with 16-byte loads, once more with them, and with streaming loads,
/// and returns medians. Before the first and the last, the block is flushed from the caches. Both
/// are whole lines and at least probed_bytes long. Takes a few milliseconds. Memory that is slow to
/// read on a processor without streaming loads is also written, with what it holds.
probed_pair probe_accesses(std::span<std::byte> memory, const instruction_set& of_memory,
                           std::span<std::byte> ordinary);

/// The times of the blocks of host memory that are large enough, each with ordinary memory; none if
/// nothing can be flushed from the caches.
using probed_blocks = std::map<transfers::host_memory_kind, probed_pair>;
probed_blocks probe_blocks(const buffers& memory);

}  // namespace bench_transfers::bench::cpu
