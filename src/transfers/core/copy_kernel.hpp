#pragma once

#include <cstddef>

namespace transfers::detail {

inline constexpr unsigned copy_kernel_threads = 512;  // of a block

/// Launch parameters of the copy kernel.
struct copy_kernel_shape {
  std::size_t access_bytes;  ///< 16, 4 or 1: the widest that both addresses allow
  unsigned blocks;
};
copy_kernel_shape shape_of_copy_kernel(const std::byte* dst, const std::byte* src,
                                       std::size_t bytes, int multiprocessors,
                                       unsigned most_blocks);

}  // namespace transfers::detail
