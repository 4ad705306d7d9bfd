#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include "transfers/core/context.hpp"
#include "transfers/core/device.hpp"

namespace transfers {

/// Whose time a large copy spares (docs/fast_paths/company.md).
enum class yield_to {
  copies,  ///< Copies of others need not wait for its end: a kernel copies. It slows other kernels.
  work,    ///< Kernels of others: a copy engine copies. Copies of others wait for its end.
  /// Copies of others need not wait, and their kernels are slowed less: by bulk copies
  /// (cp.async.bulk, from compute capability 9.0 on, where a block may have 192 KiB of shared
  /// memory; a block of loads and stores elsewhere), which are slower than the other two.
  both
};

/// Makes large copies that let others in. A copy engine ends a copy before it begins the next of
/// its direction, so a small copy of anybody else waits for all of a large one, whatever the
/// priority of its stream. These copies are made by a kernel instead, on one or a few
/// multiprocessors. It has so few bytes under way that copies by the engines wait a few
/// microseconds. It is slower than an engine (docs/fast_paths/interference.md).
class polite_copier {
 public:
  /// Multiprocessors that a copy occupies at most; 0: none.
  [[nodiscard]] unsigned multiprocessors(direction direction,
                                         yield_to others = yield_to::copies) const;

  /// Throws unsupported if kernels have no address for page-locked memory, out_of_memory,
  /// device_error.
  explicit polite_copier(device& device);
  ~polite_copier();

  /// Returns when the data are usable at the destination. Does not wait for work on other streams,
  /// which must not use these bytes meanwhile. Copies of pageable memory pass through page-locked
  /// chunks (staging); the first one allocates them, and starts threads. All pages of page-locked
  /// memory must be page-locked: only the first and the last byte are checked. Calls from several
  /// threads take turns. Throws device_error; for pageable memory also unsupported (kernels have no
  /// address for the chunks), out_of_memory, std::system_error (no threads).
  void copy(std::byte* dst, const std::byte* src, std::size_t bytes, direction direction,
            yield_to others = yield_to::copies);

  /// Enqueues a copy of page-locked memory on a stream of the device. All of its pages must be
  /// page-locked: only the first and the last byte are checked. Throws unsupported for pageable
  /// memory, invalid_argument for a stream of another device, device_error.
  void enqueue(stream& stream, std::byte* dst, const std::byte* src, std::size_t bytes,
               direction direction, yield_to others = yield_to::copies) const;
  /// The same for elements, between a contiguous range of page-locked host memory and device
  /// memory. Neither end may change before the copy is done; temporaries that own their elements do
  /// not compile. Throws length_error unless the sizes match, invalid_argument for an array of
  /// another device.
  template <class Dst, class Src>
  void enqueue(stream& stream, Dst&& dst, Src&& src, yield_to others = yield_to::copies) const {
    using request = detail::enqueued_copy<Dst, Src>;
    static_assert(!(request::to_device && request::from_device),
                  "a copy from device memory to device memory occupies no copy engine of the link");
    const request typed(dst, src, stream.identity());
    enqueue(stream, typed.dst, typed.src, typed.bytes,
            request::to_device ? direction::h2d : direction::d2h, others);
  }

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// The context's own polite_copier; the first call makes it. Throws what its constructor throws.
[[nodiscard]] polite_copier& polite_copies(const context& context);

/// Copies elements between a contiguous range of host memory and device memory (device_view,
/// device_buffer, gpu_array), with the context's own polite_copier. Returns when they are usable.
/// Unlike context::copy(), it does not wait for earlier work of the context, which must not use
/// these elements. Throws length_error unless the sizes match, invalid_argument for an array of
/// another device, and what polite_copier throws.
template <class Dst, class Src>
void copy_politely(const context& context, Dst&& dst, Src&& src,
                   yield_to others = yield_to::copies) {
  using request = detail::finished_copy<Dst, Src>;
  static_assert(!(request::to_device && request::from_device),
                "a copy from device memory to device memory occupies no copy engine of the link");
  const request typed(dst, src, context.device().identity());
  if (typed.bytes > 0)
    polite_copies(context).copy(typed.dst, typed.src, typed.bytes,
                                request::to_device ? direction::h2d : direction::d2h, others);
}

}  // namespace transfers
