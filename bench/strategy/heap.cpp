#include "bench/strategy/heap.hpp"

#include <cstdlib>  // tells which C library this is
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace bench_transfers::bench {

void disable_malloc_caching() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
  malloc_trim(0);
#endif
}

}  // namespace bench_transfers::bench
