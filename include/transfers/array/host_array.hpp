#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstring>
#include <initializer_list>
#include <span>
#include <utility>

#include "transfers/array/buffer.hpp"
#include "transfers/array/shape.hpp"

namespace transfers {

namespace detail {

/// Page-locked memory of a pool, for elements of T.
template <class T, class Pool>
host_buffer<T> allocate_elements(Pool& pool, std::size_t elements) {
  if (elements == 0) return host_buffer<T>(0);
  const auto bytes = bytes_of<T>(elements);
  if constexpr (std::same_as<Pool, const context>)
    return {pool.allocate_staging(bytes), elements};
  else
    return {pool.allocate(bytes), elements};
}

}  // namespace detail

/// An array in host memory of any kind, with its shape: the result of get(), and a source or
/// destination of copies. Movable, not copyable: copy() copies. A const array gives access to const
/// elements only. Threads may share it as they may share a std::vector.
template <class T>
class host_array {
 public:
  using value_type = T;

  /// Uninitialised, in ordinary memory or in memory of the given kind. Throw what host_buffer's
  /// constructors throw.
  explicit host_array(const shape& extents, order order = order::row_major)
      : host_array(host_buffer<T>(extents.elements()), extents, order) {}
  host_array(device& device, const shape& extents, host_memory_kind kind,
             order order = order::row_major)
      : host_array(host_buffer<T>(device, extents.elements(), kind), extents, order) {}
  /// In page-locked memory of a pool. Throw what pinned_pool::allocate throws.
  host_array(pinned_pool& pool, const shape& extents, order order = order::row_major)
      : host_array(detail::allocate_elements<T>(pool, extents.elements()), extents, order) {}
  /// The same from the context's own pool.
  host_array(const context& context, const shape& extents, order order = order::row_major)
      : host_array(detail::allocate_elements<T>(context, extents.elements()), extents, order) {}

  /// In ordinary memory, with a copy of `elements` in the array's order. Throw length_error unless
  /// their number is that of the shape, out_of_memory.
  host_array(const shape& extents, std::initializer_list<T> elements,
             order order = order::row_major)
      : host_array(extents, std::span<const T>(elements.begin(), elements.size()), order) {}
  template <host_elements R>
  requires std::same_as<detail::element_of<R>, T> host_array(const shape& extents,
                                                             const R& elements,
                                                             order order = order::row_major)
      : host_array(extents, order) {
    detail::check_elements(extents, std::ranges::size(elements));
    std::ranges::copy(elements, begin());
  }

  host_array(host_array&&) noexcept = default;
  host_array& operator=(host_array&&) noexcept = default;
  host_array(const host_array&) = delete;             ///< copying is explicit: see copy()
  host_array& operator=(const host_array&) = delete;  ///< copying is explicit: see copy()
  ~host_array() = default;

  /// Returns a copy in ordinary memory. Throws out_of_memory.
  [[nodiscard]] host_array copy() const { return host_array(shape_, *this, order_); }

  [[nodiscard]] T* data() noexcept TRANSFERS_LIFETIMEBOUND { return buffer_.data(); }
  [[nodiscard]] const T* data() const noexcept TRANSFERS_LIFETIMEBOUND { return buffer_.data(); }
  [[nodiscard]] std::size_t size() const noexcept { return buffer_.size(); }
  [[nodiscard]] bool empty() const noexcept { return buffer_.empty(); }
  [[nodiscard]] T* begin() noexcept TRANSFERS_LIFETIMEBOUND { return buffer_.begin(); }
  [[nodiscard]] const T* begin() const noexcept TRANSFERS_LIFETIMEBOUND { return buffer_.begin(); }
  [[nodiscard]] T* end() noexcept TRANSFERS_LIFETIMEBOUND { return buffer_.end(); }
  [[nodiscard]] const T* end() const noexcept TRANSFERS_LIFETIMEBOUND { return buffer_.end(); }
  /// In the order of the memory; not checked.
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return buffer_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return buffer_[i]; }
  [[nodiscard]] const transfers::shape& shape() const noexcept { return shape_; }
  [[nodiscard]] transfers::order order() const noexcept { return order_; }
  /// The kind of its memory; pageable for an empty array.
  [[nodiscard]] host_memory_kind kind() const noexcept { return buffer_.kind(); }

  /// The same elements at their device address, for kernels that access page-locked or managed
  /// memory in place. Throws unsupported if the device cannot address the memory.
  [[nodiscard]] device_view<T> on_device() & { return buffer_.on_device(); }
  [[nodiscard]] device_view<const T> on_device() const& { return buffer_.on_device(); }
  void on_device() const&& = delete;  ///< of a temporary

  /// Takes one index for each extent. Neither their number nor their values are checked.
  template <std::convertible_to<std::size_t>... Index>
  [[nodiscard]] T& operator()(Index... index) noexcept {
    return buffer_[offset_of(index...)];
  }
  template <std::convertible_to<std::size_t>... Index>
  [[nodiscard]] const T& operator()(Index... index) const noexcept {
    return buffer_[offset_of(index...)];
  }

  /// Changes the shape, not the elements or their order in memory. Throw length_error for another
  /// number of elements.
  host_array& reshape(const transfers::shape& extents) & {
    set_shape(extents);
    return *this;
  }
  host_array&& reshape(const transfers::shape& extents) && {
    set_shape(extents);
    return std::move(*this);
  }

  /// Shapes and the elements at equal indices are equal; memory and order may differ.
  [[nodiscard]] bool operator==(const host_array& other) const {
    // What has been moved from has a shape, but no elements.
    if (shape_ != other.shape_ || size() != other.size()) return false;
    if (empty() || order_ == other.order_ || shape_.rank() < 2)
      return std::equal(begin(), end(), other.begin(), other.end());
    bool equal = true;
    detail::for_each_index(shape_, [&](const detail::indices& index) {
      equal = equal && buffer_[distance_of(index)] == other.buffer_[other.distance_of(index)];
    });
    return equal;
  }

 private:
  host_array(host_buffer<T> buffer, const transfers::shape& extents, transfers::order order)
      : buffer_(std::move(buffer)), shape_(extents), order_(order), strides_() {
    set_strides();
  }

  void set_shape(const transfers::shape& extents) {
    detail::check_elements(extents, size());
    shape_ = extents;
    set_strides();
  }
  void set_strides() {
    std::ranges::transform(strides_of(shape_, order_), strides_.begin(),
                           [](std::ptrdiff_t elements) { return distance{elements}; });
  }

  template <class... Index>
  [[nodiscard]] std::size_t offset_of(Index... index) const noexcept {
    std::size_t offset = 0;
    std::size_t i = 0;
    ((offset += static_cast<std::size_t>(index) * static_cast<std::size_t>(strides_[i++])), ...);
    return offset;
  }
  [[nodiscard]] std::size_t distance_of(const detail::indices& index) const noexcept {
    std::size_t offset = 0;
    for (std::size_t i = 0; i < shape_.rank(); ++i)
      offset += index[i] * static_cast<std::size_t>(strides_[i]);
    return offset;
  }

  /// Not the type of any element, so the compiler knows that a write to an element changes no
  /// stride.
  enum class distance : std::ptrdiff_t {};

  host_buffer<T> buffer_;
  transfers::shape shape_;
  transfers::order order_;
  /// Stored, because computing them takes longer than an access to an element.
  std::array<distance, max_rank> strides_;
};

namespace detail {
template <class T>
void set_to_zero(host_array<T>& array) {
  if (array.size() > 0) std::memset(static_cast<void*>(array.data()), 0, array.size() * sizeof(T));
}
}  // namespace detail

///@{
/// Page-locked host arrays, uninitialised or all zeros, like PyCUDA's pagelocked_empty,
/// pagelocked_zeros and their _like variants: there `other` is an array, or a contiguous range of
/// host memory, whose shape is its size. Throw what device::allocate_host throws.
template <class T>
[[nodiscard]] host_array<T> pinned_empty(device& device, const shape& extents,
                                         pin_flags flags = pin_flags::none,
                                         order order = order::row_major) {
  return {device, extents, pinned(flags), order};
}
template <class T>
[[nodiscard]] host_array<T> pinned_zeros(device& device, const shape& extents,
                                         pin_flags flags = pin_flags::none,
                                         order order = order::row_major) {
  auto array = pinned_empty<T>(device, extents, flags, order);
  detail::set_to_zero(array);
  return array;
}
template <class Array>
[[nodiscard]] auto pinned_empty_like(device& device, const Array& other,
                                     pin_flags flags = pin_flags::none) {
  using T = typename Array::value_type;
  if constexpr (requires { other.shape(); })
    return pinned_empty<T>(device, other.shape(), flags, other.order());
  else
    return pinned_empty<T>(device, {std::ranges::size(other)}, flags);
}
template <class Array>
[[nodiscard]] auto pinned_zeros_like(device& device, const Array& other,
                                     pin_flags flags = pin_flags::none) {
  auto array = pinned_empty_like(device, other, flags);
  detail::set_to_zero(array);
  return array;
}
///@}

}  // namespace transfers
