#pragma once

#include <cstddef>
#include <ranges>
#include <type_traits>

#include "transfers/core/device_view.hpp"
#include "transfers/core/same_device.hpp"

namespace transfers::detail {

/// Throws length_error with both numbers unless they are equal.
void check_sizes(std::size_t src, std::size_t dst);

/// The first element of host or device memory, and the number of elements.
template <class T>
struct extent {
  T* data;
  std::size_t size;
};
template <host_elements R>
auto extent_of(R& range) {
  using T = std::remove_reference_t<std::ranges::range_reference_t<R>>;
  return extent<T>{std::ranges::data(range), std::ranges::size(range)};
}
template <device_elements D>
auto extent_of(D& memory) {
  const auto view = memory.view();
  return extent<std::remove_pointer_t<decltype(view.data())>>{view.data(), view.size()};
}

template <class>
inline constexpr bool is_end = false;
template <class M>
requires device_elements<M> || host_elements<M>
inline constexpr bool is_end<M> = true;

/// What a copy of elements is in bytes, for the types of forwarding references. Refuses ends that
/// are no memory, const destinations and elements of two types; throws length_error unless the
/// sizes match.
template <class Dst, class Src>
struct typed_copy {
  using destination_end = std::remove_reference_t<Dst>;
  using source_end = std::remove_reference_t<Src>;
  static_assert(is_end<destination_end> && is_end<source_end>,
                "an end of a copy is a contiguous range of host memory (a vector, an array, a "
                "span) or device memory (a device_view, a buffer, an array)");
  static constexpr bool to_device = device_elements<destination_end>;
  static constexpr bool from_device = device_elements<source_end>;
  static_assert(to_device || from_device,
                "neither end of the copy is device memory: a device address is passed as a "
                "device_view");

  std::byte* dst;
  const std::byte* src;
  std::size_t bytes;

  typed_copy(destination_end& destination, source_end& source) {
    const auto to = extent_of(destination);
    const auto from = extent_of(source);
    using target = std::remove_pointer_t<decltype(to.data)>;
    using element = std::remove_const_t<target>;
    static_assert(!std::is_const_v<target>, "the destination of a copy must not be const");
    static_assert(
        std::is_same_v<element, std::remove_const_t<std::remove_pointer_t<decltype(from.data)>>>,
        "both ends of a copy must have the same type: nothing is converted on the way");
    TRANSFERS_REQUIRE_ELEMENT(element);
    check_sizes(from.size, to.size);
    dst = reinterpret_cast<std::byte*>(to.data);
    src = reinterpret_cast<const std::byte*>(from.data);
    bytes = from.size * sizeof(element);
  }

  /// Throws invalid_argument for an array of another device, unless the other end is one of this.
  void check_owners(const destination_end& destination, const source_end& source,
                    const device_identity& device) const {
    if (to_device && from_device && !owner_of(source).is_other_than(device)) return;
    if constexpr (from_device && !to_device)
      check_owner(source, device);
    else
      check_owner(destination, device);
  }
};

/// Whether memory lives on after the expression it is written in.
template <class M>
inline constexpr bool outlives_expression =
    std::is_lvalue_reference_v<M> || std::ranges::borrowed_range<M> ||
    is_device_view<std::remove_cvref_t<M>>;

/// A copy of `device` that is done when its call returns.
template <class Dst, class Src>
struct finished_copy : typed_copy<Dst, Src> {
  static_assert(outlives_expression<Dst>,
                "nobody gets what is copied to a temporary: it must outlive the copy");
  finished_copy(std::remove_reference_t<Dst>& destination, std::remove_reference_t<Src>& source,
                const device_identity& device)
      : typed_copy<Dst, Src>(destination, source) {
    this->check_owners(destination, source, device);
  }
};

/// A copy of `device` that its call only enqueues.
template <class Dst, class Src>
struct enqueued_copy : typed_copy<Dst, Src> {
  static_assert(outlives_expression<Dst> && outlives_expression<Src>,
                "the ends of an asynchronous copy must outlive it: they must not be temporaries");
  enqueued_copy(std::remove_reference_t<Dst>& destination, std::remove_reference_t<Src>& source,
                const device_identity& device)
      : typed_copy<Dst, Src>(destination, source) {
    this->check_owners(destination, source, device);
  }
};

}  // namespace transfers::detail
