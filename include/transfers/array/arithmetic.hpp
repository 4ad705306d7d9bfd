#pragma once

#include "transfers/array/gpu_array.hpp"

namespace transfers {
namespace detail {

template <class T>
operand array_operand(const gpu_array<T>& array) {
  return {bytes_at(array.view()), {}};
}

template <class T>
operand value_operand(T value) {
  operand result{};
  std::memcpy(result.value.data(), &value, sizeof value);
  return result;
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
  static_assert(arithmetic_element<T>, "this element type has no arithmetic");
  static_assert(scalar_for<S, T>, "this scalar is no operand for the elements' type");
  if (view.empty()) return;
  auto* const data = detail::bytes_at(view);
  stream.calculate({operation,
                    type_of<T>(),
                    {data, {}},
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
/// contexts, device_error.
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

template <class A, class B>
struct array_among;
template <class T, class B>
struct array_among<gpu_array<T>, B> {
  static const gpu_array<T>& get(const gpu_array<T>& a, const B&) { return a; }
};
template <class A, class T>
requires std::is_arithmetic_v<A>
struct array_among<A, gpu_array<T>> {
  static const gpu_array<T>& get(const A&, const gpu_array<T>& b) { return b; }
};

template <class A, class B>
concept calculable = requires(const A& a, const B& b) {
  calculate(arithmetic::add, a, b,
            const_cast<std::remove_cvref_t<decltype(array_among<A, B>::get(a, b))>&>(
                array_among<A, B>::get(a, b)));
};

template <class A, class B>
auto calculated(arithmetic operation, const A& a, const B& b) {
  auto result = empty_like(array_among<A, B>::get(a, b));
  calculate(operation, a, b, result);
  return result;
}

}  // namespace detail

/// Return new arrays: 2 * a, a + b, a / b - 1.
template <class A, class B>
requires detail::calculable<A, B>
[[nodiscard]] auto operator+(const A& a, const B& b) {
  return detail::calculated(arithmetic::add, a, b);
}
template <class A, class B>
requires detail::calculable<A, B>
[[nodiscard]] auto operator-(const A& a, const B& b) {
  return detail::calculated(arithmetic::subtract, a, b);
}
template <class A, class B>
requires detail::calculable<A, B>
[[nodiscard]] auto operator*(const A& a, const B& b) {
  return detail::calculated(arithmetic::multiply, a, b);
}
template <class A, class B>
requires detail::calculable<A, B>
[[nodiscard]] auto operator/(const A& a, const B& b) {
  return detail::calculated(arithmetic::divide, a, b);
}

/// Change the left array in place.
template <class T, class B>
requires detail::calculable<gpu_array<T>, B> gpu_array<T>
&operator+=(gpu_array<T>& a, const B& b) {
  calculate(arithmetic::add, a, b, a);
  return a;
}
template <class T, class B>
requires detail::calculable<gpu_array<T>, B> gpu_array<T>
&operator-=(gpu_array<T>& a, const B& b) {
  calculate(arithmetic::subtract, a, b, a);
  return a;
}
template <class T, class B>
requires detail::calculable<gpu_array<T>, B> gpu_array<T>
&operator*=(gpu_array<T>& a, const B& b) {
  calculate(arithmetic::multiply, a, b, a);
  return a;
}
template <class T, class B>
requires detail::calculable<gpu_array<T>, B> gpu_array<T>
&operator/=(gpu_array<T>& a, const B& b) {
  calculate(arithmetic::divide, a, b, a);
  return a;
}

}  // namespace transfers
