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

/// Throws length_error with both numbers unless they are equal.
void check_sizes(std::size_t src, std::size_t dst);

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

/// A number of elements; 0 after its owner has been moved from.
class element_count {
 public:
  explicit element_count(std::size_t value) noexcept : value_(value) {}
  element_count(element_count&& other) noexcept : value_(std::exchange(other.value_, 0)) {}
  element_count& operator=(element_count&& other) noexcept {
    value_ = std::exchange(other.value_, 0);
    return *this;
  }
  ~element_count() = default;
  operator std::size_t() const noexcept { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  std::size_t value_;
};

template <class R>
concept contiguous_elements = std::ranges::contiguous_range<R> && std::ranges::sized_range<R>;

template <class R>
using element_of = std::remove_cv_t<std::ranges::range_value_t<R>>;

}  // namespace detail

/// Owns elements in host memory of a given kind. Movable, not copyable; destruction does not throw;
/// an empty buffer owns no memory.
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

  [[nodiscard]] T* data() const noexcept { return elements_ == 0 ? nullptr : first(); }
  [[nodiscard]] std::size_t size() const noexcept { return elements_; }
  [[nodiscard]] bool empty() const noexcept { return elements_ == 0; }
  [[nodiscard]] T* begin() const noexcept { return data(); }
  [[nodiscard]] T* end() const noexcept { return data() + size(); }
  [[nodiscard]] T& operator[](std::size_t i) const noexcept { return first()[i]; }
  [[nodiscard]] host_memory_kind kind() const noexcept { return memory_.owner.kind(); }

 private:
  /// data() of a buffer that is not empty.
  [[nodiscard]] T* first() const noexcept {
    return reinterpret_cast<T*>(memory_.owner.data() + memory_.padding);
  }

  host_buffer(std::size_t elements, detail::aligned_memory memory)
      : memory_(std::move(memory)), elements_(elements) {}

  detail::aligned_memory memory_;
  detail::element_count elements_;
};

/// Owns uninitialised elements in device memory, and copies them to and from contiguous ranges
/// (vectors, arrays, spans, strings). Movable, not copyable; destruction does not throw; an empty
/// buffer owns no memory.
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
  [[nodiscard]] T* data() const noexcept { return reinterpret_cast<T*>(memory_.data()); }
  [[nodiscard]] std::size_t size() const noexcept { return elements_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return elements_ * sizeof(T); }
  [[nodiscard]] const transfers::context& context() const noexcept { return context_; }

  /// Copy, and return when the data have arrived; large copies of pageable memory are staged
  /// (context::copy). Throw length_error unless the sizes match, device_error (the
  /// destination's content is undefined then).
  void copy_from(std::span<const T> src) {
    detail::check_sizes(src.size(), size());
    if (size() == 0) return;
    context_.copy(bytes_on_device(), reinterpret_cast<const std::byte*>(src.data()), bytes(),
                  direction::h2d);
  }
  template <detail::contiguous_elements R>
  void copy_to(R&& dst) const {
    check_destination(dst);
    if (size() == 0) return;
    context_.copy(reinterpret_cast<std::byte*>(std::ranges::data(dst)), bytes_on_device(), bytes(),
                  direction::d2h);
  }

  /// Only enqueue the copy: source and destination must stay as they are until the context has been
  /// synchronized. The call returns at once only for page-locked memory; with pageable memory it
  /// waits until most or all of the work is done (CUDA Runtime API, "API synchronization
  /// behavior"). Temporaries that own their elements do not compile.
  void copy_from_async(std::span<const T> src) {
    detail::check_sizes(src.size(), size());
    if (size() == 0) return;
    context_.stream().copy(bytes_on_device(), reinterpret_cast<const std::byte*>(src.data()),
                           bytes(), direction::h2d);
  }
  template <detail::contiguous_elements R>
  void copy_from_async(R&& src) {
    static_assert(std::ranges::borrowed_range<R>,
                  "the source of an asynchronous copy must outlive it: it must not be a temporary");
    static_assert(std::is_same_v<detail::element_of<R>, T>,
                  "the source must have the elements' type: nothing is converted on the way");
    copy_from_async(std::span<const T>(std::ranges::data(src), std::ranges::size(src)));
  }
  template <detail::contiguous_elements R>
  void copy_to_async(R&& dst) const {
    static_assert(std::ranges::borrowed_range<R>,
                  "the destination of an asynchronous copy must outlive it: it must not be a "
                  "temporary");
    check_destination(dst);
    if (size() == 0) return;
    context_.stream().copy(reinterpret_cast<std::byte*>(std::ranges::data(dst)), bytes_on_device(),
                           bytes(), direction::d2h);
  }

 private:
  template <class R>
  void check_destination(R&& dst) const {
    using reference = std::ranges::range_reference_t<R>;
    static_assert(!std::is_const_v<std::remove_reference_t<reference>>,
                  "the destination of a copy must not be const");
    static_assert(std::is_same_v<detail::element_of<R>, T>,
                  "the destination must have the elements' type: nothing is converted on the way");
    detail::check_sizes(size(), std::ranges::size(dst));
  }

  [[nodiscard]] std::byte* bytes_on_device() const noexcept { return memory_.data(); }

  transfers::context context_;
  device_memory memory_;
  detail::element_count elements_;
};

}  // namespace transfers
