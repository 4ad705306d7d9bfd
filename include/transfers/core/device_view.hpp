#pragma once

#include <concepts>
#include <cstddef>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>

#include "transfers/core/element.hpp"
#include "transfers/core/error.hpp"

namespace transfers {

/// A range of elements in device memory that it does not own: an address and a number of elements.
/// The host cannot read device memory, so a device_view is no range: a std::span always means host
/// memory in this library, and the compiler tells them apart. Made from the library's own buffers
/// and arrays by view(), or from the address of memory that other code has allocated. Copied like a
/// pointer, and as thread-safe as one; the memory must outlive it.
template <class T>
class device_view {
  TRANSFERS_REQUIRE_ELEMENT(std::remove_cv_t<T>);

 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;

  constexpr device_view() noexcept = default;  ///< no elements
  /// `address` is a device address; the memory must outlive the view.
  constexpr device_view(T* address, std::size_t elements) noexcept
      : address_(address), elements_(elements) {}
  /// A view of elements that may be written is also a view of elements that may not.
  template <class U>
  requires(std::is_const_v<T>&& std::same_as<U, value_type>)
      // NOLINTNEXTLINE(google-explicit-constructor): as std::span
      constexpr device_view(const device_view<U>& view) noexcept
      : address_(view.data()), elements_(view.size()) {}

  /// Device address of the first element.
  [[nodiscard]] constexpr T* data() const noexcept { return address_; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return elements_; }
  [[nodiscard]] constexpr std::size_t bytes() const noexcept { return elements_ * sizeof(T); }
  [[nodiscard]] constexpr bool empty() const noexcept { return elements_ == 0; }

  /// Views of a part. Throw out_of_range if the part is not inside.
  [[nodiscard]] constexpr device_view subview(std::size_t first, std::size_t elements) const {
    if (first > elements_ || elements > elements_ - first)
      throw out_of_range("elements " + std::to_string(first) + " to " +
                         std::to_string(first + elements) + " of " + std::to_string(elements_));
    return {address_ + first, elements};
  }
  ///@{
  /// The first or last elements. Throw as subview().
  [[nodiscard]] constexpr device_view first(std::size_t elements) const {
    return subview(0, elements);
  }
  [[nodiscard]] constexpr device_view last(std::size_t elements) const {
    return subview(elements > elements_ ? elements_ + 1 : elements_ - elements, elements);
  }
  ///@}

  /// Itself, as owners of memory return it.
  [[nodiscard]] constexpr device_view view() const noexcept { return *this; }

 private:
  T* address_ = nullptr;
  std::size_t elements_ = 0;
};

/// The bytes of the elements.
template <class T>
[[nodiscard]] auto as_bytes(device_view<T> view) noexcept {
  using byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
  return device_view<byte>(reinterpret_cast<byte*>(view.data()), view.bytes());
}

/// The elements of T that `bytes` bytes at a device address hold.
template <class T>
[[nodiscard]] device_view<T> elements_at(std::byte* address, std::size_t bytes) noexcept {
  return {reinterpret_cast<T*>(address), bytes / sizeof(T)};
}

namespace detail {

/// A number of elements or bytes; 0 after its owner has been moved from.
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

template <class>
inline constexpr bool is_device_view = false;
template <class T>
inline constexpr bool is_device_view<device_view<T>> = true;

template <class R>
concept contiguous_elements = std::ranges::contiguous_range<R> && std::ranges::sized_range<R>;

template <class R>
using element_of = std::remove_cv_t<std::ranges::range_value_t<R>>;

}  // namespace detail

/// Device memory with a type: device_view, device_buffer, gpu_array.
template <class D>
concept device_elements = requires(D& memory) {
  memory.view();
  requires detail::is_device_view<decltype(memory.view())>;
};

/// Host memory with a type: vectors, arrays, strings, spans, host_buffer, host_array.
template <class R>
concept host_elements = detail::contiguous_elements<R> && !device_elements<R>;

}  // namespace transfers
