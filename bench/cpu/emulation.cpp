#include "bench/cpu/emulation.hpp"

#include <algorithm>

#include "bench/strategy/cache.hpp"

namespace bench_transfers::bench::cpu {
namespace {

/// Loads `width` bytes after `width` bytes, each from memory.
template <std::size_t width>
std::uint64_t read_uncached(const std::byte* first, std::size_t bytes) {
  std::uint64_t sum = 0;
  for (const auto* const end = first + bytes; first < end; first += width) {
    flush_cache({first, width});
    for (std::size_t i = 0; i < width; i += sizeof(std::uint64_t))
      sum ^= *reinterpret_cast<const volatile std::uint64_t*>(first + i);
  }
  return sum;
}

/// Loads several lines at once, like fill buffers.
std::uint64_t read_whole_lines(const std::byte* first, std::size_t bytes) {
  constexpr std::size_t together = 8 * line;
  std::uint64_t sum = 0;
  while (bytes > 0) {
    const auto part = std::min(bytes, together);
    flush_cache({first, part});
    sum ^= instructions().read_vector(first, part);
    first += part;
    bytes -= part;
  }
  return sum;
}

}  // namespace

const instruction_set& emulated_write_combined() {
  static const instruction_set set = [] {
    auto emulated = instructions();
    emulated.vector = "16 bytes";
    emulated.no_streaming = "this processor has no instruction to flush caches";
    const bool can = can_flush_cache();
    emulated.read_scalar = can ? read_uncached<8> : nullptr;
    emulated.read_16_bytes = emulated.read_vector = can ? read_uncached<16> : nullptr;
    emulated.read_streaming = can ? read_whole_lines : nullptr;
    return emulated;
  }();
  return set;
}

}  // namespace bench_transfers::bench::cpu
