#include "copy_kernel.hpp"

#include <algorithm>
#include <cstdint>

#include "transfers/device.hpp"

namespace transfers {
namespace detail {
namespace {

bool aligned_to_16(const std::byte* address) {
  return reinterpret_cast<std::uintptr_t>(address) % 16 == 0;
}

}  // namespace

copy_kernel_shape shape_of_copy_kernel(const std::byte* destination, const std::byte* source,
                                       std::size_t bytes, int multiprocessors) {
  const bool wide = aligned_to_16(destination) && aligned_to_16(source);
  const std::size_t units = std::max<std::size_t>(1, bytes / (wide ? 16 : 1));
  // Two blocks a multiprocessor are several times what fills a PCIe link.
  const auto most = 2 * static_cast<std::size_t>(multiprocessors);
  const auto blocks = std::min((units + copy_kernel_threads - 1) / copy_kernel_threads, most);
  return {wide, static_cast<unsigned>(blocks)};
}

}  // namespace detail

std::size_t copy_kernel_multiprocessors(const device_description& on, const std::byte* destination,
                                        const std::byte* source, std::size_t bytes) {
  if (!on.cuda) return 0;
  const auto shape =
      detail::shape_of_copy_kernel(destination, source, bytes, on.cuda->multiprocessors);
  return std::min<std::size_t>(shape.blocks, static_cast<std::size_t>(on.cuda->multiprocessors));
}

}  // namespace transfers
