#pragma once

#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "src/transfers/core/both_systems.hpp"
#include "transfers/core/stream.hpp"

// Elementwise arithmetic and conversion.

namespace transfers::detail {

/// Defines what C++ leaves undefined, as stream.hpp says (elementwise_operation).
template <class T>
TRANSFERS_BOTH T apply(arithmetic operation, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using unsigned_type = std::make_unsigned_t<T>;
    const auto x = static_cast<unsigned_type>(a);
    const auto y = static_cast<unsigned_type>(b);
    switch (operation) {
      case arithmetic::add: return static_cast<T>(x + y);
      case arithmetic::subtract: return static_cast<T>(x - y);
      case arithmetic::multiply: return static_cast<T>(x * y);
      case arithmetic::divide: break;
    }
    if (b == 0) return 0;
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(unsigned_type{0} - x);
    return static_cast<T>(a / b);
  } else {
    switch (operation) {
      case arithmetic::add: return a + b;
      case arithmetic::subtract: return a - b;
      case arithmetic::multiply: return a * b;
      case arithmetic::divide: break;
    }
    return a / b;
  }
}

template <class T>
struct typed_operand {
  const T* array;
  T value;

  TRANSFERS_BOTH T at(std::size_t i) const { return array != nullptr ? array[i] : value; }
};

template <class T>
typed_operand<T> typed(const operand& untyped) {
  typed_operand<T> result{reinterpret_cast<const T*>(untyped.array), {}};
  std::memcpy(&result.value, untyped.value.data(), sizeof(T));
  return result;
}

template <class T>
struct calculate_element {
  arithmetic operation;
  typed_operand<T> left, right;
  T* result;

  TRANSFERS_BOTH void operator()(std::size_t i) const {
    result[i] = apply(operation, left.at(i), right.at(i));
  }
};

// Device code may use a constant, but not call std::numeric_limits.
template <class T>
inline constexpr T largest = std::numeric_limits<T>::max();
template <class T>
inline constexpr T smallest = std::numeric_limits<T>::lowest();

template <class To, class From>
TRANSFERS_BOTH To converted(From value) {
  if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (value != value) return 0;
    // The largest integer may round up when it becomes a float, hence >= there.
    if (value >= static_cast<From>(largest<To>)) return largest<To>;
    if (value <= static_cast<From>(smallest<To>)) return smallest<To>;
  }
  return static_cast<To>(value);
}

template <class From, class To>
struct convert_element {
  const From* src;
  To* dst;

  TRANSFERS_BOTH void operator()(std::size_t i) const { dst[i] = converted<To>(src[i]); }
};

/// Calls `work` with a value of the C++ type.
template <class Work>
void with_type(element_type type, Work&& work) {
  switch (type) {
    case element_type::int32: return work(std::int32_t{});
    case element_type::int64: return work(std::int64_t{});
    case element_type::uint32: return work(std::uint32_t{});
    case element_type::uint64: return work(std::uint64_t{});
    case element_type::float32: return work(float{});
    case element_type::float64: return work(double{});
  }
}

template <class Policy>
void calculate(const Policy& policy, const elementwise_operation& operation) {
  with_type(operation.type, [&]<class T>(T) {
    thrust::for_each_n(
        policy, thrust::counting_iterator<std::size_t>(0), operation.elements,
        calculate_element<T>{operation.what, typed<T>(operation.left), typed<T>(operation.right),
                             reinterpret_cast<T*>(operation.result)});
  });
}

template <class Policy>
void convert(const Policy& policy, const conversion& conversion) {
  with_type(conversion.from_type, [&]<class From>(From) {
    with_type(conversion.to_type, [&]<class To>(To) {
      thrust::for_each_n(policy, thrust::counting_iterator<std::size_t>(0), conversion.elements,
                         convert_element<From, To>{reinterpret_cast<const From*>(conversion.from),
                                                   reinterpret_cast<To*>(conversion.to)});
    });
  });
}

}  // namespace transfers::detail
