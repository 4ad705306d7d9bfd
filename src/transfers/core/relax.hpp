#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace transfers::detail {

/// For spin loops: leaves execution resources to the other hardware thread of this core.
inline void relax() noexcept {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

}  // namespace transfers::detail
