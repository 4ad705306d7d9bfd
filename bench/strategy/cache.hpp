#pragma once

#include <cstddef>
#include <span>

#include "src/result_file/format.hpp"

namespace bench_transfers::bench {

/// Of the host memory that an operation touches, when it begins: `warm`, as the operation before
/// has left it; `cold`, its lines are in no cache.
using result_file::cache_state;

/// Whether this processor can write back and drop chosen lines from every level of its caches.
bool can_flush_cache() noexcept;

/// Does so for the bytes' lines; returns when it is done (CLFLUSHOPT or CLFLUSH, and MFENCE, on
/// x86: they act on all levels of all cores; Intel SDM vol. 2A). Nothing where can_flush_cache() is
/// false.
void flush_cache(std::span<const std::byte> bytes) noexcept;

/// The same, shared among all cores where there is much to flush: not for use between timed
/// operations, which the threads would disturb.
void flush_cache_on_all_cores(std::span<const std::byte> bytes);

}  // namespace bench_transfers::bench
