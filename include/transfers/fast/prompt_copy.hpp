#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <type_traits>

#include "transfers/core/context.hpp"
#include "transfers/core/device.hpp"

namespace transfers {

/// Makes small copies that do not wait for large ones. A copy engine ends a copy before it begins
/// the next of its direction, whatever the priority of their streams. Therefore a kernel on a
/// stream of the highest priority makes these copies: it reads or writes page-locked memory in
/// place, and a page-locked intermediate buffer for pageable memory. It competes with the large
/// copy for the link, and costs more than a copy by an engine that is idle
/// (docs/fast_paths/interference.md).
class prompt_copier {
 public:
  /// Bytes of the intermediate buffer. Larger copies of pageable memory are made in such parts.
  static constexpr std::size_t largest_part = std::size_t{64} << 10;

  /// Throws unsupported if kernels have no address for page-locked memory, out_of_memory,
  /// device_error.
  explicit prompt_copier(device& device);

  /// Returns when the data are usable at the destination. Does not wait for work on other streams,
  /// which must not use these bytes meanwhile. All pages of page-locked memory must be page-locked:
  /// only the first and the last byte are checked. Calls from several threads take turns. Throws
  /// device_error.
  void copy(std::byte* dst, const std::byte* src, std::size_t bytes, direction direction);

 private:
  void copy_part(std::byte* dst, const std::byte* src, std::size_t bytes, direction direction);
  void copy_by_kernel(std::byte* dst, const std::byte* src, std::size_t bytes);

  std::shared_ptr<device> device_;
  host_memory buffer_;
  std::unique_ptr<stream> stream_;
  std::mutex one_at_a_time_;
};

/// The context's own prompt_copier; the first call makes it. Throws what its constructor throws.
[[nodiscard]] prompt_copier& prompt_copies(const context& context);

/// Copies elements between a contiguous range of host memory and device memory (device_view,
/// device_buffer, gpu_array), with the context's own prompt_copier. Returns when they are usable.
/// Unlike context::copy(), it does not wait for earlier work of the context, which must not use
/// these elements. Throws length_error unless the sizes match, invalid_argument for an array of
/// another device, and what prompt_copier throws.
template <class Dst, class Src>
void copy_promptly(const context& context, Dst&& dst, Src&& src) {
  using request = detail::finished_copy<Dst, Src>;
  static_assert(!(request::to_device && request::from_device),
                "a copy from device memory to device memory waits for no copy engine of the link");
  const request typed(dst, src, context.device().identity());
  if (typed.bytes > 0)
    prompt_copies(context).copy(typed.dst, typed.src, typed.bytes,
                                request::to_device ? direction::h2d : direction::d2h);
}

}  // namespace transfers
