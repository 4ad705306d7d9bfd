#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "src/transfers/array/calculate.hpp"
#include "transfers/core/both_systems.hpp"
#include "transfers/core/stream.hpp"

// Reductions, as stream.hpp specifies them. `loops`: host_loops or cuda_loops.

namespace transfers::detail {

template <class Wide>
struct add_widened {
  TRANSFERS_BOTH Wide operator()(Wide a, Wide b) const { return apply(arithmetic::add, a, b); }
};

template <class T>
struct multiply_widened {
  TRANSFERS_BOTH widened<T> operator()(T a, T b) const {
    return apply(arithmetic::multiply, static_cast<widened<T>>(a), static_cast<widened<T>>(b));
  }
};

/// The lesser or the greater one; the first NaN.
template <class T>
struct extreme {
  bool least;

  TRANSFERS_BOTH T operator()(T a, T b) const {
    if (a != a) return a;
    return b != b || (least ? b < a : a < b) ? b : a;
  }
};

template <class T, class Loops>
element_value extreme_of(const Loops& loops, const reduction& request) {
  using limits = std::numeric_limits<T>;
  const bool least = request.operation == reduction_operation::min;
  const T first = limits::has_infinity ? (least ? limits::infinity() : -limits::infinity())
                                       : (least ? limits::max() : limits::lowest());
  const auto* const elements = reinterpret_cast<const T*>(request.lhs);
  return value_of(loops.reduce(elements, request.elements, first, extreme<T>{least}));
}

template <class T, class Loops>
element_value sum_of(const Loops& loops, const reduction& request) {
  using wide = widened<T>;
  const auto* const lhs = reinterpret_cast<const T*>(request.lhs);
  const auto* const rhs = reinterpret_cast<const T*>(request.rhs);
  if (request.operation == reduction_operation::sum)
    return value_of(loops.reduce(lhs, request.elements, wide{}, add_widened<wide>()));
  return value_of(loops.inner_product(lhs, rhs, request.elements, wide{}, add_widened<wide>(),
                                      multiply_widened<T>()));
}

template <class Loops>
element_value reduce(const Loops& loops, const reduction& request) {
  const bool sum = request.operation == reduction_operation::sum ||
                   request.operation == reduction_operation::dot;
  return with_arithmetic_type(request.type, [&]<class T>(T) {
    // Modulo 2^64, sums of signed and unsigned integers have the same bits.
    using summed = std::conditional_t<std::is_same_v<T, std::int64_t>, std::uint64_t, T>;
    return sum ? sum_of<summed>(loops, request) : extreme_of<T>(loops, request);
  });
}

}  // namespace transfers::detail
