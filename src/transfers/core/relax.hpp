#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace transfers::detail {

/// For loops that wait for another thread: lets the other hardware thread of this core go on.
inline void relax() noexcept {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

}  // namespace transfers::detail
