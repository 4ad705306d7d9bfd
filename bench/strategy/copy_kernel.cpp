#include "bench/strategy/copy_kernel.hpp"

#include <algorithm>
#include <cstdint>

namespace bench_transfers::bench {

std::size_t copy_kernel_multiprocessors(const transfers::device_description& description,
                                        const std::byte* dst, const std::byte* src,
                                        std::size_t bytes, unsigned most_blocks) {
  if (!description.cuda) return 0;
  // See stream::copy_by_kernel.
  constexpr std::size_t threads_of_block = 512;
  const auto differ = reinterpret_cast<std::uintptr_t>(dst) ^ reinterpret_cast<std::uintptr_t>(src);
  const std::size_t access_bytes = differ % 16 == 0 ? 16 : differ % 4 == 0 ? 4 : 1;
  const auto accesses = bytes / access_bytes;
  const auto multiprocessors =
      static_cast<std::size_t>(std::max(1, description.cuda->multiprocessors));
  const auto most = std::clamp<std::size_t>(most_blocks, 1, multiprocessors);
  return std::clamp<std::size_t>((accesses + threads_of_block - 1) / threads_of_block, 1, most);
}

}  // namespace bench_transfers::bench
