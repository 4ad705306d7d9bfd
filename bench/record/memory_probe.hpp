#pragma once

#include <span>

#include "bench/cpu/instructions.hpp"
#include "src/machine/memory_type.hpp"

namespace bench_transfers::bench::cpu {

/// Reads that many bytes each time: 16 KiB of uncached memory take up to 0.2 ms.
inline constexpr std::size_t probed_bytes = std::size_t{16} << 10;

/// Two memories, read in turn.
struct probed_pair {
  machine::read_times memory, ordinary;
};

/// Reads both with 16-byte loads and with streaming loads, dropped from the caches before each, in
/// turn, and takes medians. Both are at least probed_bytes, in whole lines. Takes some
/// milliseconds; leaves the contents alone.
probed_pair probe_reads(std::span<const std::byte> memory, const instruction_set& of_memory,
                        std::span<const std::byte> ordinary);

}  // namespace bench_transfers::bench::cpu
