#include "cache.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

namespace bench {

#if defined(__x86_64__)

bool can_flush_cache() noexcept { return true; }  // CLFLUSH and MFENCE are part of x86-64

void flush_cache(std::span<const std::byte> bytes) noexcept {
  constexpr std::size_t line = 64;
  if (bytes.empty()) return;
  for (std::size_t i = 0; i < bytes.size(); i += line) _mm_clflush(bytes.data() + i);
  _mm_clflush(bytes.data() + bytes.size() - 1);  // its line, where the first byte is not aligned
  _mm_mfence();
}

#else

bool can_flush_cache() noexcept { return false; }

void flush_cache(std::span<const std::byte>) noexcept {}

#endif

}  // namespace bench
