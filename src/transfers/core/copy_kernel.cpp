#include "src/transfers/core/copy_kernel.hpp"

#include <algorithm>
#include <cstdint>

namespace transfers::detail {
namespace {

/// Both addresses are multiples of it, or equally far from being.
std::size_t widest_access(const std::byte* dst, const std::byte* src) {
  const auto differ = reinterpret_cast<std::uintptr_t>(dst) ^ reinterpret_cast<std::uintptr_t>(src);
  return differ % 16 == 0 ? 16 : differ % 4 == 0 ? 4 : 1;
}

}  // namespace

copy_kernel_shape shape_of_copy_kernel(const std::byte* dst, const std::byte* src,
                                       std::size_t bytes, int multiprocessors,
                                       unsigned most_blocks) {
  const auto access = widest_access(dst, src);
  const auto units = std::max<std::size_t>(1, bytes / access);
  // Two blocks per multiprocessor are many times the number that saturates a PCIe link.
  const auto most =
      std::clamp<std::size_t>(most_blocks, 1, 2 * static_cast<std::size_t>(multiprocessors));
  const auto blocks = std::min((units + copy_kernel_threads - 1) / copy_kernel_threads, most);
  return {access, static_cast<unsigned>(blocks)};
}

}  // namespace transfers::detail
