#pragma once

#include <cstddef>

namespace transfers::detail {

inline constexpr unsigned copy_kernel_threads = 512;  // of a block

/// How the copy kernel is launched.
struct copy_kernel_shape {
  bool wide;  ///< 16 bytes at a time, where both addresses allow it
  unsigned blocks;
};
copy_kernel_shape shape_of_copy_kernel(const std::byte* destination, const std::byte* source,
                                       std::size_t bytes, int multiprocessors);

}  // namespace transfers::detail
