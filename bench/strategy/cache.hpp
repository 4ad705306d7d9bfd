#pragma once

#include <cstddef>
#include <span>

#include "src/result_file/format.hpp"

namespace bench_transfers::bench {

/// State of the host memory that an operation touches when it starts: `warm`, as the previous
/// operation left it; `cold`, none of its lines is in a cache.
using result_file::cache_state;

/// Whether this processor can write back and evict single lines from every level of its caches.
bool can_flush_cache() noexcept;

/// Writes back and evicts the lines of `bytes` and returns when that is done. On x86 it uses
/// CLFLUSHOPT or CLFLUSH, and MFENCE, which act on all levels of all cores (Intel SDM vol. 2A); on
/// AArch64 DC CIVAC and DSB. Does nothing where can_flush_cache() is false.
void flush_cache(std::span<const std::byte> bytes) noexcept;

/// Returns when all earlier loads and stores of this thread are complete, also those that a store
/// buffer still holds, so that a clock read afterwards includes them. On x86 it uses MFENCE, on
/// AArch64 DSB (Arm Architecture Reference Manual, "Data Synchronization Barrier").
void complete_accesses() noexcept;

/// Flushes large ranges on all cores. Not for use between timed operations: the threads would
/// disturb them.
void flush_cache_on_all_cores(std::span<const std::byte> bytes);

}  // namespace bench_transfers::bench
