#pragma once

#include <span>

#include "bench/cpu/instructions.hpp"
#include "src/machine/memory_type.hpp"

namespace bench_transfers::bench::cpu {

/// Bytes of one read: 16 KiB of uncached memory take up to 0.2 ms.
inline constexpr std::size_t probed_bytes = std::size_t{16} << 10;

/// Read times of two blocks of memory.
struct probed_pair {
  machine::read_times memory, ordinary;
};

/// Reads both blocks in turn, with 16-byte loads and with streaming loads, flushed from the caches
/// before each read, and returns medians. Both are whole lines and at least probed_bytes long.
/// Takes a few milliseconds; does not write to the blocks.
probed_pair probe_reads(std::span<const std::byte> memory, const instruction_set& of_memory,
                        std::span<const std::byte> ordinary);

}  // namespace bench_transfers::bench::cpu
