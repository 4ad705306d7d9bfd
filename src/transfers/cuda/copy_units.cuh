#pragma once

#include <cstddef>
#include <cstdint>

namespace transfers::detail {

/// One thread's part of a copy: units first, first + stride, … A thread issues several loads before
/// it waits for them, because a single load over a link takes a microsecond or more.
template <class Unit, class Index>
__device__ void copy_units(Unit* dst, const Unit* src, Index units, Index first, Index stride) {
  constexpr int in_flight = 8;
  for (Index i = first; i < units; i += in_flight * stride) {
    Unit held[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k)
      if (i + k * stride < units) held[k] = src[i + k * stride];
#pragma unroll
    for (int k = 0; k < in_flight; ++k)
      if (i + k * stride < units) dst[i + k * stride] = held[k];
  }
}

/// The same for bytes: in units of this type, and single bytes before and after them. Both
/// addresses must have the same misalignment to the unit, and `stride` must be at least 32.
template <class Unit, class Index>
__device__ void copy_as(std::byte* dst, const std::byte* src, Index bytes, Index first,
                        Index stride) {
  const auto misaligned = static_cast<Index>(reinterpret_cast<std::uintptr_t>(dst) % sizeof(Unit));
  const Index before =
      misaligned == 0 ? 0 : min(bytes, static_cast<Index>(sizeof(Unit)) - misaligned);
  const Index units = (bytes - before) / static_cast<Index>(sizeof(Unit));
  const Index behind = before + units * static_cast<Index>(sizeof(Unit));
  if (first < before) dst[first] = src[first];
  copy_units(reinterpret_cast<Unit*>(dst + before), reinterpret_cast<const Unit*>(src + before),
             units, first, stride);
  if (first < bytes - behind) dst[behind + first] = src[behind + first];
}

/// The same with the widest accesses that both addresses allow: 16, 4 or 1 bytes.
template <class Index>
__device__ void copy_bytes(std::byte* dst, const std::byte* src, Index bytes, Index first,
                           Index stride) {
  const auto differ = reinterpret_cast<std::uintptr_t>(dst) ^ reinterpret_cast<std::uintptr_t>(src);
  if (differ % sizeof(uint4) == 0)
    copy_as<uint4>(dst, src, bytes, first, stride);
  else if (differ % sizeof(unsigned) == 0)
    copy_as<unsigned>(dst, src, bytes, first, stride);
  else
    copy_units(dst, src, bytes, first, stride);
}

}  // namespace transfers::detail
