#pragma once

#include "transfers/array/gpu_array.hpp"

namespace transfers {
namespace detail {

/// Throws invalid_argument for an array that has been moved from.
template <class T>
operand array_operand(const gpu_array<T>& array) {
  return {operand::kinds::array, bytes_at(array.view()), {}};
}

template <class T>
operand value_operand(T value) {
  return {operand::kinds::value, nullptr, value_of(value)};
}

/// Enqueues one kernel. The caller has compared shapes and contexts.
template <arithmetic_element T>
void enqueue(arithmetic operation, const operand& left, const operand& right,
             gpu_array<T>& result) {
  const auto elements = result.view();
  if (elements.empty()) return;
  result.context().stream().calculate(
      {operation, type_of<T>(), left, right, bytes_at(elements), elements.size()});
}

template <arithmetic_element T>
void check_pair(const gpu_array<T>& a, const gpu_array<T>& b) {
  check_alike(a.shape(), a.order(), b.shape(), b.order());
  check_same_context(a.context(), b.context());
}

}  // namespace detail

/// elements = elements `operation` right, for a device_view, a buffer or an array; enqueues one
/// kernel. Operations and exceptions are those of the functions below.
template <device_elements D, class S>
void calculate(stream& stream, arithmetic operation, D&& elements, S right) {
  const auto view = elements.view();
  using T = std::remove_pointer_t<decltype(view.data())>;
  static_assert(!std::is_const_v<T>, "the elements to calculate with must not be const");
  static_assert(arithmetic_element<T>,
                "arithmetic is for 32- and 64-bit integers, float and double; convert with astype");
  static_assert(scalar_for<S, T>,
                "the other operand must be a number: no bool, no char, no fraction for integers");
  detail::check_accessible(elements, stream.identity());
  if (view.empty()) return;
  auto* const data = detail::bytes_at(view);
  stream.calculate({operation,
                    type_of<T>(),
                    {operand::kinds::array, data, {}},
                    detail::value_operand(detail::as_element<T>(right)),
                    data,
                    view.size()});
}
template <host_elements R, class S>
void calculate(stream&, arithmetic, R&&, S) {
  static_assert(!host_elements<R>,
                "a kernel cannot calculate with host memory: pass a device_view, for example "
                "array.view().subview(first, elements)");
}

/// result = left `operation` right, elementwise; enqueue one kernel. The operands are two arrays of
/// the same shape and order, or an array and a scalar of its element type; `result` may be an
/// operand. Integers divide as in C++; elementwise_operation defines the cases that C++ leaves
/// undefined. Throw shape_mismatch with both shapes, invalid_argument for arrays of different
/// contexts, out_of_range for a scalar that does not fit into the element type, device_error.
template <arithmetic_element T>
void calculate(arithmetic operation, const gpu_array<T>& left, const gpu_array<T>& right,
               gpu_array<T>& result) {
  detail::check_pair(left, right);
  detail::check_pair(left, result);
  detail::enqueue(operation, detail::array_operand(left), detail::array_operand(right), result);
}
template <arithmetic_element T, scalar_for<T> S>
void calculate(arithmetic operation, const gpu_array<T>& left, S right, gpu_array<T>& result) {
  detail::check_pair(left, result);
  detail::enqueue(operation, detail::array_operand(left),
                  detail::value_operand(detail::as_element<T>(right)), result);
}
template <arithmetic_element T, scalar_for<T> S>
void calculate(arithmetic operation, S left, const gpu_array<T>& right, gpu_array<T>& result) {
  detail::check_pair(right, result);
  detail::enqueue(operation, detail::value_operand(detail::as_element<T>(left)),
                  detail::array_operand(right), result);
}

namespace detail {

/// The element type of an array; void for everything else.
template <class A>
struct array_element {
  using type = void;
};
template <class T>
struct array_element<gpu_array<T>> {
  using type = T;
};
template <class A>
using array_element_t = typename array_element<A>::type;

template <class A>
concept is_array = !std::is_void_v<array_element_t<A>>;
template <class A>
concept array_or_number = is_array<A> || std::is_arithmetic_v<A>;

/// What the operators take, if only to say what is wrong: arrays, and an array and a number.
template <class A, class B>
concept operands = (is_array<A> && array_or_number<B>) || (std::is_arithmetic_v<A> && is_array<B>);

template <class A, class B>
using result_element = std::conditional_t<is_array<A>, array_element_t<A>, array_element_t<B>>;
template <class A, class B>
using result_array = gpu_array<result_element<A, B>>;

/// Refuses types without arithmetic, each with one message.
template <class A, class B>
constexpr bool check_operands() {
  using T = result_element<A, B>;
  using number = std::conditional_t<is_array<A>, B, A>;
  constexpr bool arrays = is_array<A> && is_array<B>;
  // Names of their own, so that compilers do not explain the concepts.
  constexpr bool has_arithmetic = arithmetic_element<T>;
  constexpr bool is_scalar = scalar_for<number, T>;
  if constexpr (!has_arithmetic) {
    static_assert(has_arithmetic,
                  "arithmetic is for 32- and 64-bit integers, float and double; convert with "
                  "astype");
    return false;
  } else if constexpr (arrays) {
    constexpr bool same = std::is_same_v<array_element_t<A>, array_element_t<B>>;
    static_assert(same,
                  "arithmetic is for arrays of one element type; convert one of them with astype");
    return same;
  } else if constexpr (std::is_floating_point_v<number> && std::is_integral_v<T>) {
    static_assert(is_scalar,
                  "the number would lose its fraction in an array of integers; convert the array "
                  "with astype");
    return false;
  } else {
    static_assert(is_scalar, "the other operand must be a number: no bool, no char");
    return is_scalar;
  }
}

template <class A, class B>
result_array<A, B> calculated(arithmetic operation, const A& a, const B& b) {
  const auto result_of = [&](const auto& array) {
    auto result = empty_like(array);
    if constexpr (check_operands<A, B>()) calculate(operation, a, b, result);
    return result;
  };
  if constexpr (is_array<A>)
    return result_of(a);
  else
    return result_of(b);
}

template <class T, class B>
void calculate_in_place(arithmetic operation, gpu_array<T>& a, const B& b) {
  if constexpr (check_operands<gpu_array<T>, B>()) calculate(operation, a, b, a);
}

}  // namespace detail

///@{
/// Return new arrays: 2 * a, a + b, a / b - 1. Enqueue one kernel. Operands and exceptions are
/// those of calculate(); also out_of_memory, and out_of_range for a number that does not fit into
/// the element type.
template <class A, class B>
requires detail::operands<A, B>
[[nodiscard]] detail::result_array<A, B> operator+(const A& a, const B& b) {
  return detail::calculated(arithmetic::add, a, b);
}
template <class A, class B>
requires detail::operands<A, B>
[[nodiscard]] detail::result_array<A, B> operator-(const A& a, const B& b) {
  return detail::calculated(arithmetic::subtract, a, b);
}
template <class A, class B>
requires detail::operands<A, B>
[[nodiscard]] detail::result_array<A, B> operator*(const A& a, const B& b) {
  return detail::calculated(arithmetic::multiply, a, b);
}
template <class A, class B>
requires detail::operands<A, B>
[[nodiscard]] detail::result_array<A, B> operator/(const A& a, const B& b) {
  return detail::calculated(arithmetic::divide, a, b);
}
///@}

/// Returns a new array: -a. Integers wrap around; zeros change their sign, too, and the sign of a
/// NaN is not specified.
template <class T>
[[nodiscard]] gpu_array<T> operator-(const gpu_array<T>& a) {
  // 0 - x would not change the sign of a zero. Modulo 2^n, -1 is the largest unsigned integer.
  if constexpr (arithmetic_element<T>)
    return a * static_cast<T>(-1);
  else
    return a * 1;  // refused, with the reason
}

namespace detail {

template <class A, class B>
constexpr bool refuse_comparison() {
  constexpr bool comparable = !operands<A, B>;
  static_assert(comparable,
                "arrays on a device have no comparisons: compare what get() downloads, or use a "
                "kernel");
  return comparable;
}

}  // namespace detail

///@{
/// Refused, with the reason: arrays are compared neither as a whole nor by element.
template <class A, class B>
requires detail::operands<A, B>
bool operator==(const A&, const B&) { return detail::refuse_comparison<A, B>(); }
template <class A, class B>
requires detail::operands<A, B>
bool operator<(const A&, const B&) { return detail::refuse_comparison<A, B>(); }
template <class A, class B>
requires detail::operands<A, B>
bool operator<=(const A&, const B&) { return detail::refuse_comparison<A, B>(); }
template <class A, class B>
requires detail::operands<A, B>
bool operator>(const A&, const B&) { return detail::refuse_comparison<A, B>(); }
template <class A, class B>
requires detail::operands<A, B>
bool operator>=(const A&, const B&) { return detail::refuse_comparison<A, B>(); }
///@}

///@{
/// Change the left array in place, as calculate() does with it as the result.
template <class T, class B>
requires detail::array_or_number<B> gpu_array<T>
&operator+=(gpu_array<T>& a, const B& b) {
  detail::calculate_in_place(arithmetic::add, a, b);
  return a;
}
template <class T, class B>
requires detail::array_or_number<B> gpu_array<T>
&operator-=(gpu_array<T>& a, const B& b) {
  detail::calculate_in_place(arithmetic::subtract, a, b);
  return a;
}
template <class T, class B>
requires detail::array_or_number<B> gpu_array<T>
&operator*=(gpu_array<T>& a, const B& b) {
  detail::calculate_in_place(arithmetic::multiply, a, b);
  return a;
}
template <class T, class B>
requires detail::array_or_number<B> gpu_array<T>
&operator/=(gpu_array<T>& a, const B& b) {
  detail::calculate_in_place(arithmetic::divide, a, b);
  return a;
}
///@}

}  // namespace transfers
