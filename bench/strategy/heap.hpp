#pragma once

namespace bench_transfers::bench {

/// Has malloc take blocks of 128 KiB and more from the system and give them back when they are
/// freed, so that memory which an operation allocates is new whatever ran before. By itself glibc
/// raises that size to up to 32 MiB as blocks are freed, keeps what is smaller for later requests
/// (mallopt(3), M_MMAP_THRESHOLD), and serves any size from what is left at the heap's top
/// (malloc_trim(3)). To be called before anything large is allocated, and again before memory
/// shall be new; other C libraries are left as they are.
void take_large_blocks_from_the_system();

}  // namespace bench_transfers::bench
