#pragma once

#include <cstddef>
#include <cstdint>

namespace transfers::detail {

/// One thread's part of a copy: units first, first + stride, … A thread waits for its loads only
/// when it has sent several off: over a link a single one takes a microsecond or more.
template <class Unit, class Index>
__device__ void copy_units(Unit* to, const Unit* from, Index units, Index first, Index stride) {
  constexpr int in_flight = 8;
  for (Index i = first; i < units; i += in_flight * stride) {
    Unit held[in_flight];
#pragma unroll
    for (int k = 0; k < in_flight; ++k)
      if (i + k * stride < units) held[k] = from[i + k * stride];
#pragma unroll
    for (int k = 0; k < in_flight; ++k)
      if (i + k * stride < units) to[i + k * stride] = held[k];
  }
}

/// …in units of this type, and the bytes before and behind them. Both addresses must be equally
/// far from being aligned to the unit, and `stride` at least 32.
template <class Unit, class Index>
__device__ void copy_as(std::byte* to, const std::byte* from, Index bytes, Index first,
                        Index stride) {
  const auto misaligned = static_cast<Index>(reinterpret_cast<std::uintptr_t>(to) % sizeof(Unit));
  const Index before =
      misaligned == 0 ? 0 : min(bytes, static_cast<Index>(sizeof(Unit)) - misaligned);
  const Index units = (bytes - before) / static_cast<Index>(sizeof(Unit));
  const Index behind = before + units * static_cast<Index>(sizeof(Unit));
  if (first < before) to[first] = from[first];
  copy_units(reinterpret_cast<Unit*>(to + before), reinterpret_cast<const Unit*>(from + before),
             units, first, stride);
  if (first < bytes - behind) to[behind + first] = from[behind + first];
}

/// …with the widest accesses that both addresses allow: of 16, 4 or 1 bytes.
template <class Index>
__device__ void copy_bytes(std::byte* to, const std::byte* from, Index bytes, Index first,
                           Index stride) {
  const auto differ = reinterpret_cast<std::uintptr_t>(to) ^ reinterpret_cast<std::uintptr_t>(from);
  if (differ % sizeof(uint4) == 0)
    copy_as<uint4>(to, from, bytes, first, stride);
  else if (differ % sizeof(unsigned) == 0)
    copy_as<unsigned>(to, from, bytes, first, stride);
  else
    copy_units(to, from, bytes, first, stride);
}

}  // namespace transfers::detail
