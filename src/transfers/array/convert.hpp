#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "src/transfers/array/calculate.hpp"

// Conversion of elements.

namespace transfers::detail {

// Device code may use a constant, but not call std::numeric_limits.
template <class T>
inline constexpr T largest = std::numeric_limits<T>::max();
template <class T>
inline constexpr T smallest = std::numeric_limits<T>::lowest();

template <class To, class From>
TRANSFERS_BOTH To converted(From value) {
  if constexpr (std::is_same_v<From, To>) {
    return value;
  } else if constexpr (std::is_same_v<From, half>) {
    return converted<To>(static_cast<float>(value));
  } else {
    if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
      if (value != value) return 0;
      // The largest integer may round up when it becomes a float, hence >= there.
      if (value >= static_cast<From>(largest<To>)) return largest<To>;
      if (value <= static_cast<From>(smallest<To>)) return smallest<To>;
    }
    // Integers that double rounds are infinite as float16.
    if constexpr (std::is_same_v<To, half>)
      return half(static_cast<double>(value));
    else
      return static_cast<To>(value);
  }
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
    case element_type::int8: return work(std::int8_t{});
    case element_type::uint8: return work(std::uint8_t{});
    case element_type::int16: return work(std::int16_t{});
    case element_type::uint16: return work(std::uint16_t{});
    case element_type::float16: return work(half{});
    default: return with_arithmetic_type(type, work);
  }
}

/// `loops`: host_loops or cuda_loops.
template <class Loops>
void convert_by(const Loops& loops, const conversion& conversion) {
  with_type(conversion.from_type, [&]<class From>(From) {
    with_type(conversion.to_type, [&]<class To>(To) {
      loops.for_each_index(conversion.elements,
                           convert_element<From, To>{reinterpret_cast<const From*>(conversion.from),
                                                     reinterpret_cast<To*>(conversion.to)});
    });
  });
}

}  // namespace transfers::detail
