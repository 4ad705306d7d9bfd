#include "transfers/fast/prompt_copy.hpp"

#include <algorithm>
#include <cstring>

#include "src/transfers/core/locked_range.hpp"
#include "transfers/core/error.hpp"

namespace transfers {

prompt_copier::prompt_copier(device& device)
    : device_(detail::kept(device)),
      buffer_(device.allocate_host(largest_part, pinned(pin_flags::mapped))),
      stream_(device.create_priority_stream()) {
  if (buffer_.on_device() == nullptr)
    throw unsupported("the device has no address for page-locked memory");
}

void prompt_copier::copy(std::byte* dst, const std::byte* src, std::size_t bytes,
                         direction direction) {
  if (bytes == 0) return;
  const std::scoped_lock lock(one_at_a_time_);
  auto* const host = detail::host_end(dst, src, direction);
  if (auto* const address = detail::address_in_kernels(*device_, host, bytes))
    return direction == direction::h2d ? copy_by_kernel(dst, address, bytes)
                                       : copy_by_kernel(address, src, bytes);
  for (std::size_t first = 0; first < bytes; first += largest_part)
    copy_part(dst + first, src + first, std::min(largest_part, bytes - first), direction);
}

void prompt_copier::copy_part(std::byte* dst, const std::byte* src, std::size_t bytes,
                              direction direction) {
  if (direction == direction::h2d) {
    std::memcpy(buffer_.data(), src, bytes);
    copy_by_kernel(dst, buffer_.on_device(), bytes);
  } else {
    copy_by_kernel(buffer_.on_device(), src, bytes);
    std::memcpy(dst, buffer_.data(), bytes);
  }
}

void prompt_copier::copy_by_kernel(std::byte* dst, const std::byte* src, std::size_t bytes) {
  stream_->copy_by_kernel(dst, src, bytes);
  stream_->synchronize();
}

prompt_copier& prompt_copies(const context& context) {
  return context.slot<prompt_copier>(
      [&context] { return std::make_shared<prompt_copier>(context.device()); });
}

}  // namespace transfers
