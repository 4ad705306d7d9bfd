#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>

#include "transfers/array/arithmetic.hpp"
#include "transfers/array/gpu_array.hpp"
#include "transfers/core/error.hpp"

namespace transfers {

namespace detail {

/// The value as an element. Refuses numbers that would lose their fraction; throws out_of_range for
/// numbers that do not fit.
template <class T, class V>
T element_from(const V& value) {
  if constexpr ((integer_number<T> || std::is_floating_point_v<T>)&&std::is_arithmetic_v<V> &&
                !std::same_as<T, V>) {
    constexpr bool keeps_its_value = scalar_for<V, T>;
    static_assert(keeps_its_value,
                  "this number does not have the elements' type and would change: convert it");
    return as_element<T>(value);
  } else {
    return static_cast<T>(value);
  }
}

}  // namespace detail

/// Enqueues setting all elements to a value. An element has 1, 2, 4, 8 or 16 bytes. Throws
/// out_of_range for a number that does not fit, invalid_argument for an array that has been moved
/// from, device_error.
template <class T, class V = T>
void fill(gpu_array<T>& array, const V& number) {
  const T value = detail::element_from<T>(number);
  static_assert(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0,
                "only elements of 1, 2, 4, 8 and 16 bytes can fill an array; upload the others");
  if (const auto elements = array.view(); !elements.empty())
    array.context().stream().fill(detail::bytes_at(elements), std::as_bytes(std::span(&value, 1)),
                                  elements.size());
}

///@{
/// A new array whose elements have one value: full<float>(gpu, {2, 3}, 0.5), or with the value's
/// type full(gpu, {2, 3}, 0.5). Enqueues one kernel. Throws out_of_memory, device_error. full_like
/// takes context, shape and order from another array; ones and ones_like have the value 1.
template <class T>
[[nodiscard]] gpu_array<T> full(const context& context, const shape& extents, const T& value,
                                order order = order::row_major) {
  gpu_array<T> array(context, extents, order);
  fill(array, value);
  return array;
}
template <class T, class V>
requires(!std::same_as<T, V>)
    [[nodiscard]] gpu_array<T> full(const context& context, const shape& extents, const V& value,
                                    order order = order::row_major) {
  return full(context, extents, detail::element_from<T>(value), order);
}
template <class T, class V = T>
[[nodiscard]] gpu_array<T> full_like(const gpu_array<T>& other, const V& value) {
  return full(other.context(), other.shape(), detail::element_from<T>(value), other.order());
}
template <class T>
[[nodiscard]] gpu_array<T> ones(const context& context, const shape& extents,
                                order order = order::row_major) {
  return full<T>(context, extents, static_cast<T>(1), order);
}
template <class T>
[[nodiscard]] gpu_array<T> ones_like(const gpu_array<T>& other) {
  return ones<T>(other.context(), other.shape(), other.order());
}
///@}

namespace detail {

/// The number of values from `first` to before `last`. Throws invalid_argument for a step of 0
/// and for NaN, length_error for more than fit into memory.
template <class Wide>
std::size_t steps_between(Wide first, Wide last, Wide step) {
  if (step == 0 || first != first || last != last || step != step)
    throw invalid_argument("a sequence needs numbers, and a step that is not 0");
  if (step > 0 ? first >= last : first <= last) return 0;
  if constexpr (std::is_floating_point_v<Wide>) {
    const auto count = std::ceil((last - first) / step);
    if (!(count < 0x1p63)) throw length_error("a sequence of more numbers than fit into memory");
    return static_cast<std::size_t>(count);
  } else {
    const auto positive = [](Wide from, Wide to) {  // a difference may be too large for Wide
      return static_cast<std::size_t>(to) - static_cast<std::size_t>(from);
    };
    const auto distance = step > 0 ? positive(first, last) : positive(last, first);
    const auto length = step > 0 ? positive(0, step) : positive(step, 0);
    return (distance - 1) / length + 1;
  }
}

}  // namespace detail

/// A new array of one row: first, first + step, … up to before `last`, as NumPy's arange:
/// arange<float>(gpu, 0, 1, 0.1). Elements are calculated in the widened type (see sequence in
/// stream.hpp). Enqueues one kernel. Throws invalid_argument for a step of 0 and for NaN,
/// length_error, out_of_memory, device_error.
template <arithmetic_element T, class First, class Last, class Step = int>
[[nodiscard]] gpu_array<T> arange(const context& context, First first_number, Last last_number,
                                  Step step_number = 1) {
  const auto first = detail::element_from<widened<T>>(first_number);
  const auto last = detail::element_from<widened<T>>(last_number);
  const auto step = detail::element_from<widened<T>>(step_number);
  gpu_array<T> array(context, shape{detail::steps_between<widened<T>>(first, last, step)});
  if (array.size() > 0)
    context.stream().write_sequence({type_of<T>(), detail::value_of(first), detail::value_of(step),
                                     detail::bytes_at(array.view()), array.size()});
  return array;
}
/// 0, 1, … up to before `last`.
template <arithmetic_element T, class Last>
[[nodiscard]] gpu_array<T> arange(const context& context, Last last) {
  return arange<T>(context, 0, last);
}

}  // namespace transfers
