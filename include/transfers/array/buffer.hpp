#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "transfers/core/context.hpp"
#include "transfers/core/device_view.hpp"
#include "transfers/core/element.hpp"
#include "transfers/core/error.hpp"

namespace transfers {
namespace detail {

/// Throws length_error if the address space is too small.
template <class T>
std::size_t bytes_of(std::size_t elements) {
  if (elements > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T))
    throw length_error(std::to_string(elements) + " elements of " + std::to_string(sizeof(T)) +
                       " bytes are more than fit into memory");
  return elements * sizeof(T);
}

/// Host memory that begins at a multiple of an alignment.
struct aligned_memory {
  host_memory owner;        ///< none for zero bytes
  std::size_t padding = 0;  ///< bytes before the first one that is used
};
/// Throw invalid_argument for an alignment that is not a power of two.
aligned_memory allocate_aligned(device& device, std::size_t bytes, host_memory_kind kind,
                                std::size_t alignment, std::size_t least_alignment);
/// From the C++ library: pageable, and its pages are touched only when they are used.
aligned_memory allocate_ordinary(std::size_t bytes, std::size_t alignment,
                                 std::size_t least_alignment);

/// Throws length_error unless `block` bytes hold `bytes`.
void check_block(std::size_t bytes, std::size_t block);
/// Throws unsupported if the device cannot address the memory.
std::byte* address_on_device(const aligned_memory& memory);

}  // namespace detail

/// Owns elements in host memory of a given kind. Movable, not copyable; destruction does not throw;
/// an empty buffer owns no memory. A const buffer gives access to const elements only. Threads may
/// share it as they may share a std::vector.
template <class T>
class host_buffer {
  TRANSFERS_REQUIRE_ELEMENT(T);

 public:
  using value_type = T;

  /// Uninitialised. `alignment` is a power of two, in bytes; blocks are aligned to pages anyway.
  /// Throws what device::allocate_host throws; invalid_argument for another alignment.
  host_buffer(device& device, std::size_t elements, host_memory_kind kind,
              std::size_t alignment = alignof(T))
      : host_buffer(elements, detail::allocate_aligned(device, detail::bytes_of<T>(elements), kind,
                                                       alignment, alignof(T))) {}

  /// Uninitialised ordinary memory, whose pages do not exist until they are touched. Throws
  /// out_of_memory.
  explicit host_buffer(std::size_t elements, std::size_t alignment = alignof(T))
      : host_buffer(elements, detail::allocate_ordinary(detail::bytes_of<T>(elements), alignment,
                                                        alignof(T))) {}

  /// Takes over a block that a pool or a device has allocated, which is aligned to 256 bytes at
  /// least; no block for no elements. Throws length_error if it is too small.
  host_buffer(host_memory block, std::size_t elements)
      : host_buffer(elements, detail::aligned_memory{std::move(block), 0}) {
    static_assert(alignof(T) <= 256, "blocks of pools are aligned to 256 bytes");
    detail::check_block(detail::bytes_of<T>(elements), memory_.owner.size());
  }

  [[nodiscard]] T* data() noexcept TRANSFERS_LIFETIMEBOUND {
    return elements_ == 0 ? nullptr : first();
  }
  [[nodiscard]] const T* data() const noexcept TRANSFERS_LIFETIMEBOUND {
    return elements_ == 0 ? nullptr : first();
  }
  [[nodiscard]] std::size_t size() const noexcept { return elements_; }
  [[nodiscard]] bool empty() const noexcept { return elements_ == 0; }
  [[nodiscard]] T* begin() noexcept TRANSFERS_LIFETIMEBOUND { return data(); }
  [[nodiscard]] const T* begin() const noexcept TRANSFERS_LIFETIMEBOUND { return data(); }
  [[nodiscard]] T* end() noexcept TRANSFERS_LIFETIMEBOUND { return data() + size(); }
  [[nodiscard]] const T* end() const noexcept TRANSFERS_LIFETIMEBOUND { return data() + size(); }
  /// Not checked.
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return first()[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return first()[i]; }
  /// The kind that it was allocated as; pageable for an empty buffer.
  [[nodiscard]] host_memory_kind kind() const noexcept { return memory_.owner.kind(); }

  /// The same elements at their device address, for kernels that access page-locked or managed
  /// memory in place. Throws unsupported if the device cannot address the memory.
  [[nodiscard]] device_view<T> on_device() & { return {address_on_device(), elements_}; }
  [[nodiscard]] device_view<const T> on_device() const& { return {address_on_device(), elements_}; }
  void on_device() const&& = delete;  ///< of a temporary

 private:
  /// data() of a buffer that is not empty.
  [[nodiscard]] T* first() const noexcept {
    return reinterpret_cast<T*>(memory_.owner.data() + memory_.padding);
  }
  [[nodiscard]] T* address_on_device() const {
    return elements_ == 0 ? nullptr : reinterpret_cast<T*>(detail::address_on_device(memory_));
  }

  host_buffer(std::size_t elements, detail::aligned_memory memory)
      : memory_(std::move(memory)), elements_(elements) {}

  detail::aligned_memory memory_;
  detail::element_count elements_;
};

/// Owns uninitialised elements in device memory, and copies them to and from contiguous ranges of
/// host memory (vectors, arrays, spans, strings) and other device memory. Movable, not copyable;
/// destruction does not throw; an empty buffer owns no memory. A const buffer gives access to const
/// elements only. Work runs in the order of the context's stream; one thread at a time may use a
/// buffer. It keeps its context alive, and may be destroyed while enqueued work uses it, unless the
/// context allocates plainly, where destruction waits (cudaFree).
template <class T>
class device_buffer {
  TRANSFERS_REQUIRE_ELEMENT(T);

 public:
  using value_type = T;

  /// Throws out_of_memory, device_error.
  device_buffer(const context& context, std::size_t elements)
      : context_(context), elements_(elements) {
    if (elements > 0) memory_ = context.allocate(detail::bytes_of<T>(elements));
  }

  /// Device address.
  [[nodiscard]] T* data() noexcept TRANSFERS_LIFETIMEBOUND { return address(); }
  [[nodiscard]] const T* data() const noexcept TRANSFERS_LIFETIMEBOUND { return address(); }
  [[nodiscard]] std::size_t size() const noexcept { return elements_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return elements_ * sizeof(T); }
  [[nodiscard]] const transfers::context& context() const noexcept { return context_; }

  /// The elements without their owner, which must outlive the view.
  [[nodiscard]] device_view<T> view() & noexcept { return {data(), size()}; }
  [[nodiscard]] device_view<const T> view() const& noexcept { return {data(), size()}; }
  void view() const&& = delete;  ///< of a temporary
  ///@{
  /// Passed where a device_view is expected.
  // NOLINTNEXTLINE(google-explicit-constructor): like span
  operator device_view<T>() & noexcept TRANSFERS_LIFETIMEBOUND { return view(); }
  // NOLINTNEXTLINE(google-explicit-constructor): like span; of a temporary for a call's argument
  operator device_view<const T>() const noexcept TRANSFERS_LIFETIMEBOUND { return view(); }
  ///@}

  ///@{
  /// Copy, and return when the data have arrived; large copies of pageable memory are staged
  /// (context::copy). The other end may also be device memory. Throw length_error unless the sizes
  /// match, device_error (the destination's content is undefined then).
  template <class Src>
  void copy_from(const Src& src) {
    context_.copy(*this, src);
  }
  template <class Dst>
  void copy_to(Dst&& dst) const {
    static_assert(detail::outlives_expression<Dst>,
                  "nobody gets what is copied to a temporary: it must outlive the copy");
    context_.copy(dst, *this);
  }
  ///@}

  ///@{
  /// Only enqueue the copy: source and destination must stay as they are until the context has been
  /// synchronized (see context::copy_async). Temporaries that own their elements do not compile.
  template <class Src>
  void copy_from_async(Src&& src) {
    context_.copy_async(*this, std::forward<Src>(src));
  }
  template <class Dst>
  void copy_to_async(Dst&& dst) const {
    context_.copy_async(std::forward<Dst>(dst), *this);
  }
  ///@}

 private:
  [[nodiscard]] T* address() const noexcept { return reinterpret_cast<T*>(memory_.data()); }

  transfers::context context_;
  device_memory memory_;
  detail::element_count elements_;
};

}  // namespace transfers
