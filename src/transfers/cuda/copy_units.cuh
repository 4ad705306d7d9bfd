#pragma once

#include <cstddef>
#include <cstdint>

namespace transfers::detail {

/// One thread's part of a copy: units first, first + stride, … A thread issues several loads before
/// it waits for them, because a single load over a link takes a microsecond or more.
template <int in_flight = 8>
struct unit_copy {
  template <class Unit, class Index>
  __device__ static void load(Unit (&held)[in_flight], const Unit* src, Index units, Index first,
                              Index stride) {
#pragma unroll
    for (int k = 0; k < in_flight; ++k)
      if (first + k * stride < units) held[k] = src[first + k * stride];
  }
  template <class Unit, class Index>
  __device__ static void store(const Unit (&held)[in_flight], Unit* dst, Index units, Index first,
                               Index stride) {
#pragma unroll
    for (int k = 0; k < in_flight; ++k)
      if (first + k * stride < units) dst[first + k * stride] = held[k];
  }

  template <class Unit, class Index>
  __device__ static void run(Unit* dst, const Unit* src, Index units, Index first, Index stride) {
    Unit held[in_flight];
    for (Index i = first; i < units; i += in_flight * stride) {
      load(held, src, units, i, stride);
      store(held, dst, units, i, stride);
    }
  }
};

/// The same; no more is written before the host's memory has what was written. Meanwhile the thread
/// loads the next units.
template <int in_flight>
struct acknowledged_unit_copy : unit_copy<in_flight> {
  template <class Unit, class Index>
  __device__ static void run(Unit* dst, const Unit* src, Index units, Index first, Index stride) {
    Unit held[in_flight];
    unit_copy<in_flight>::load(held, src, units, first, stride);
    for (Index i = first; i < units; i += in_flight * stride) {
      unit_copy<in_flight>::store(held, dst, units, i, stride);
      unit_copy<in_flight>::load(held, src, units, i + in_flight * stride, stride);
      __threadfence_system();
    }
  }
};

/// The same for bytes: in units of this type, and single bytes before and after them. Both
/// addresses must have the same misalignment to the unit, and `stride` must be at least 32.
template <class Unit, class Copy = unit_copy<>, class Index>
__device__ void copy_as(std::byte* dst, const std::byte* src, Index bytes, Index first,
                        Index stride) {
  const auto misaligned = static_cast<Index>(reinterpret_cast<std::uintptr_t>(dst) % sizeof(Unit));
  const Index before =
      misaligned == 0 ? 0 : min(bytes, static_cast<Index>(sizeof(Unit)) - misaligned);
  const Index units = (bytes - before) / static_cast<Index>(sizeof(Unit));
  const Index behind = before + units * static_cast<Index>(sizeof(Unit));
  if (first < before) dst[first] = src[first];
  Copy::run(reinterpret_cast<Unit*>(dst + before), reinterpret_cast<const Unit*>(src + before),
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
    unit_copy<>::run(dst, src, bytes, first, stride);
}

}  // namespace transfers::detail
