#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "transfers/core/device_view.hpp"
#include "transfers/core/element.hpp"
#include "transfers/core/error.hpp"
#include "transfers/core/typed_copy.hpp"

namespace transfers {

/// The largest number of indices of an array.
inline constexpr std::size_t max_rank = 8;

/// Extents of an array in elements, outermost index first: {rows, columns}. A value, as thread-safe
/// as an int.
class shape {
 public:
  /// Any integer; throws invalid_argument if it is negative.
  class extent {
   public:
    /// Not bool.
    template <std::integral I>
    requires(!std::same_as<I, bool>)
        // NOLINTNEXTLINE(google-explicit-constructor): {rows, 3} for rows of any type
        extent(I elements)
        : elements_(static_cast<std::size_t>(elements)) {
      if constexpr (std::is_signed_v<I>)
        if (elements < 0)
          throw invalid_argument("the extent " + std::to_string(elements) +
                                 " of an array is negative");
    }
    /// A number of elements.
    operator std::size_t() const noexcept { return elements_; }  // NOLINT: it is one

   private:
    std::size_t elements_;
  };

  shape() = default;  ///< rank 0, one element
  /// Throw length_error for more than max_rank extents, and for more elements than the address
  /// space holds; invalid_argument for negative extents.
  shape(std::initializer_list<extent> extents);
  explicit shape(std::span<const std::size_t> extents);

  [[nodiscard]] std::size_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::size_t operator[](std::size_t i) const noexcept { return extents_[i]; }
  /// Valid as long as the shape.
  [[nodiscard]] std::span<const std::size_t> extents() const noexcept {
    return {extents_.data(), rank_};
  }
  /// The product of the extents; 1 for rank 0.
  [[nodiscard]] std::size_t elements() const noexcept { return elements_; }

  bool operator==(const shape&) const = default;

 private:
  template <class Extents>
  void assign(const Extents& extents);

  std::array<std::size_t, max_rank> extents_{};
  std::size_t rank_ = 0;
  std::size_t elements_ = 1;
};

/// "(2, 3)"
std::string to_string(const shape& shape);

/// The layout of an array without gaps.
enum class order { row_major, column_major };

/// Distances between neighbouring elements along each index, in elements.
using strides = std::array<std::ptrdiff_t, max_rank>;
/// The strides of an array without gaps; 0 from its rank on.
strides strides_of(const shape& extents, order order);

/// Arrays do not have the same shape and order.
class shape_mismatch : public detail::error_and<std::runtime_error> {
 public:
  using error_and::error_and;
};

/// A view with extents, strides in elements and a pointer to its first element: std::mdspan,
/// cuda::std::mdspan, Kokkos views.
template <class View>
concept mdspan_like = requires(const View& view, std::size_t i) {
  view.data_handle();
  view.extent(i);
  view.stride(i);
  View::rank();
};

namespace detail {

/// Throws length_error with both numbers unless the shape has as many elements.
void check_elements(const shape& extents, std::size_t elements);

using indices = std::array<std::size_t, max_rank>;

/// Calls `visit(index)` for the indices of all elements, the last index fastest.
template <class Visit>
void for_each_index(const shape& extents, Visit&& visit) {
  indices index{};
  for (std::size_t i = 0; i < extents.elements(); ++i) {
    visit(std::as_const(index));
    for (auto axis = extents.rank(); axis-- > 0;) {
      if (++index[axis] < extents[axis]) break;
      index[axis] = 0;
    }
  }
}

/// The strides of all indices. Throws invalid_argument unless there is one for each extent,
/// all are positive, and every element has an address of its own. (It checks a sufficient
/// condition: sorted by stride, each index steps over all elements that the smaller ones reach.)
strides checked_strides(const shape& extents, std::span<const std::ptrdiff_t> steps);

/// Throws out_of_range unless all elements are among the first `available` elements.
void check_reach(const shape& extents, const strides& steps, std::size_t available);

template <mdspan_like View>
shape shape_of(const View& view) {
  static_assert(View::rank() <= max_rank, "an array has at most transfers::max_rank indices");
  std::array<std::size_t, max_rank> extents{};
  for (std::size_t i = 0; i < View::rank(); ++i)
    extents[i] = static_cast<std::size_t>(view.extent(i));
  return shape(std::span(extents).first(View::rank()));
}

template <mdspan_like View>
strides strides_of(const View& view) {
  strides steps{};
  for (std::size_t i = 0; i < View::rank(); ++i)
    steps[i] = static_cast<std::ptrdiff_t>(view.stride(i));
  return checked_strides(shape_of(view), std::span(steps).first(View::rank()));
}

}  // namespace detail

/// A view of a part of memory that it does not own: every second column, rows with padding, a
/// transposed matrix. Strides must be positive, and no two elements may share memory. Copied like a
/// pointer, and as thread-safe as one; the memory must outlive it.
template <class T>
class strided_view {
  TRANSFERS_REQUIRE_ELEMENT(T);

 public:
  /// memory[0] is the element whose indices are all 0; strides are in elements. Throws
  /// invalid_argument for negative, zero and overlapping strides, out_of_range when an
  /// element lies outside `memory`.
  strided_view(std::span<T> memory, const transfers::shape& extents,
               std::initializer_list<std::ptrdiff_t> strides)
      : strided_view(memory.data(), extents,
                     detail::checked_strides(extents, {strides.begin(), strides.size()})) {
    detail::check_reach(extents, strides_, memory.size());
  }

  template <host_elements R>
  requires(!detail::outlives_expression<R>)
      strided_view(R&& memory, const transfers::shape& extents,
                   std::initializer_list<std::ptrdiff_t> strides)
  = delete;  ///< of a temporary

  /// The same elements as another view. Throws invalid_argument for its strides as above.
  template <mdspan_like View>
  strided_view(const View& view)  // NOLINT(google-explicit-constructor): the same view
      : strided_view(view.data_handle(), detail::shape_of(view), detail::strides_of(view)) {}

  /// A writable view is also a read-only one.
  template <class U>
  requires(std::is_const_v<T>&& std::same_as<const U, T> && !std::is_const_v<U>)
      // NOLINTNEXTLINE(google-explicit-constructor): as std::span
      strided_view(const strided_view<U>& view)
      : strided_view(view.data(), view.shape(), view.strides()) {}

  [[nodiscard]] T* data() const noexcept { return data_; }
  [[nodiscard]] const transfers::shape& shape() const noexcept { return shape_; }
  /// Strides in elements.
  [[nodiscard]] const transfers::strides& strides() const noexcept { return strides_; }

 private:
  strided_view(T* data, const transfers::shape& extents, const transfers::strides& strides)
      : data_(data), shape_(extents), strides_(strides) {}

  T* data_;
  transfers::shape shape_;
  transfers::strides strides_;
};

/// The element type of the other view.
template <mdspan_like View>
strided_view(const View& view) -> strided_view<std::remove_pointer_t<decltype(view.data_handle())>>;

}  // namespace transfers
