#pragma once

#include <cstddef>

#include "transfers/core/stream.hpp"

namespace transfers::detail {

constexpr unsigned warp_threads = 32;

/// Calls copy(dst, src, bytes) in all threads of a warp for up to 32 pieces of a table, one after
/// another. Each thread reads one of them, so that a warp reads its part of the table in one memory
/// access.
template <class Copy>
__device__ void for_each_piece(const scattered_piece* table, unsigned pieces, unsigned lane,
                               std::byte* on_device, bool to_device, const Copy& copy) {
  ulonglong2 own{};  // host address, and bytes and offset as scattered_piece has them
  static_assert(sizeof own == sizeof(scattered_piece));
  if (lane < pieces) own = reinterpret_cast<const ulonglong2*>(table)[lane];
  for (unsigned k = 0; k < pieces; ++k) {
    auto* const host = reinterpret_cast<std::byte*>(__shfl_sync(~0U, own.x, k));
    const auto place = __shfl_sync(~0U, own.y, k);
    const auto bytes = static_cast<unsigned>(place & 0xFFFFU);
    auto* const device_block = on_device + (place >> 16U);
    if (to_device)
      copy(device_block, host, bytes);
    else
      copy(host, device_block, bytes);
  }
}

}  // namespace transfers::detail
