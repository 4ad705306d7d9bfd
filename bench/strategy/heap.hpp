#pragma once

namespace bench_transfers::bench {

/// Makes malloc map blocks of 128 KiB and more and unmap them when they are freed, so that an
/// operation allocates new memory whatever ran before. By default glibc raises this threshold to up
/// to 32 MiB as blocks are freed, keeps smaller blocks for later requests (mallopt(3),
/// M_MMAP_THRESHOLD) and serves requests of any size from the top of the heap (malloc_trim(3)).
/// Call it before the first large allocation, and again before each operation that needs new
/// memory. It has no effect on other C libraries.
void disable_malloc_caching();

}  // namespace bench_transfers::bench
