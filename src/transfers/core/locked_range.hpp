#pragma once

#include <cstddef>

#include "transfers/core/device.hpp"

namespace transfers::detail {

/// The end of a copy that lies in host memory. Callers ask for its address only: a copy does not
/// change its source.
inline std::byte* host_end(std::byte* dst, const std::byte* src, direction direction) {
  return direction == direction::h2d ? const_cast<std::byte*>(src) : dst;
}

/// The address in kernels of a range of host memory; null if its first or its last byte has none,
/// or they are not as far apart as on the host. Throws device_error.
inline std::byte* address_in_kernels(const device& device, std::byte* host, std::size_t bytes) {
  auto* const first = device.address_on_device(host);
  if (first == nullptr) return nullptr;
  return device.address_on_device(host + bytes - 1) == first + bytes - 1 ? first : nullptr;
}

}  // namespace transfers::detail
