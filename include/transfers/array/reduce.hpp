#pragma once

#include <cstddef>
#include <cstring>

#include "transfers/array/arithmetic.hpp"
#include "transfers/array/gpu_array.hpp"

namespace transfers {
namespace detail {

template <class Result, class T>
Result reduced(reduction_operation operation, const gpu_array<T>& lhs,
               device_view<const T> rhs = {}) {
  const auto value = lhs.context().stream().reduce(
      {operation, type_of<T>(), bytes_at(lhs.view()), bytes_at(rhs), lhs.size()});
  Result result;
  std::memcpy(&result, value.bytes.data(), sizeof result);
  return result;
}

/// Refuses other types with one message.
template <class T>
constexpr bool check_reducible() {
  constexpr bool has_arithmetic = arithmetic_element<T>;
  static_assert(has_arithmetic,
                "reductions are for 32- and 64-bit integers, float and double; convert with "
                "astype");
  return has_arithmetic;
}

}  // namespace detail

/// Calculate one number of all elements, after all work of the array's context, and wait for it.
/// All throw unsupported while the context's stream records a graph, out_of_memory, device_error.
///
/// The sum, in std::int64_t, std::uint64_t or double, whatever the size of the elements: a sum of
/// floats in float would lose its last digits from some thousand elements on. Integers wrap around.
/// The order of additions depends on the device, and with it the last bits of a floating-point sum.
/// NaN if an element is NaN; 0 of an empty array.
template <class T>
[[nodiscard]] auto sum(const gpu_array<T>& array) {
  if constexpr (detail::check_reducible<T>())
    return detail::reduced<widened<T>>(reduction_operation::sum, array);
}

/// The sum of the products of the elements, each calculated as sum() does. Throws also
/// shape_mismatch unless both have the same shape and order, invalid_argument for arrays of
/// different contexts.
template <class T>
[[nodiscard]] auto dot(const gpu_array<T>& a, const gpu_array<T>& b) {
  if constexpr (detail::check_reducible<T>()) {
    detail::check_pair(a, b);
    return detail::reduced<widened<T>>(reduction_operation::dot, a, b.view());
  }
}

///@{
/// The least and the greatest element; NaN if an element is NaN, as in NumPy. Throw also
/// invalid_argument for an empty array.
template <class T>
[[nodiscard]] T min(const gpu_array<T>& array) {
  if constexpr (detail::check_reducible<T>())
    return detail::reduced<T>(reduction_operation::min, array);
}
template <class T>
[[nodiscard]] T max(const gpu_array<T>& array) {
  if constexpr (detail::check_reducible<T>())
    return detail::reduced<T>(reduction_operation::max, array);
}
///@}

}  // namespace transfers
