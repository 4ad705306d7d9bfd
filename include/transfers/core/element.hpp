#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "transfers/core/half.hpp"

/// Of what an accessor returns: clang warns where it outlives a temporary owner.
#if defined(__clang__)
#define TRANSFERS_LIFETIMEBOUND [[clang::lifetimebound]]
#else
#define TRANSFERS_LIFETIMEBOUND
#endif

namespace transfers {

/// What arrays and buffers may hold: bytes that mean the same wherever they are copied. Used
/// through TRANSFERS_REQUIRE_ELEMENT, whose message says why a type is refused.
template <class T>
concept element = std::is_trivially_copyable_v<T> && std::is_object_v<T>;

/// For class and function templates over T: refuses other types with a message.
#define TRANSFERS_REQUIRE_ELEMENT(T)                                                            \
  static_assert(::transfers::element<T>,                                                        \
                "elements must be trivially copyable: a GPU gets bytes, not objects, pointers " \
                "into the host or virtual functions")

/// The types that the library's kernels know. The values are stable: new ones go to the end.
enum class element_type {
  int32,
  int64,
  uint32,
  uint64,
  float32,
  float64,
  // Only stored and converted:
  int8,
  uint8,
  int16,
  uint16,
  float16,
};

/// Types whose bits are those of transfers::half. Specialised for a type of the user's own, its
/// arrays convert as float16; transfers/cuda/half.cuh does that for CUDA's `__half`.
template <class T>
inline constexpr bool is_float16 = false;
/// The library's own.
template <>
inline constexpr bool is_float16<half> = true;
#if defined(__STDCPP_FLOAT16_T__)
template <>
inline constexpr bool is_float16<_Float16> = true;  // std::float16_t
#endif

namespace detail {

/// Integers that are numbers, not characters or truth values.
template <class T>
concept integer_number = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                         !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
                         !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

}  // namespace detail

/// Types with arithmetic on a device: integers of 32 and 64 bits, float, double.
template <class T>
concept arithmetic_element = (detail::integer_number<T> && (sizeof(T) == 4 || sizeof(T) == 8)) ||
                             std::same_as<T, float> || std::same_as<T, double>;

/// The type in which sums of elements are calculated: std::int64_t, std::uint64_t or double.
template <arithmetic_element T>
using widened =
    std::conditional_t<std::is_floating_point_v<T>, double,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

/// Types that arrays convert from and to: those with arithmetic, and smaller ones that are only
/// stored and transferred, which are integers of 8 and 16 bits and float16.
template <class T>
concept convertible_element = arithmetic_element<T> ||
                              (detail::integer_number<T> && (sizeof(T) == 1 || sizeof(T) == 2)) ||
                              is_float16<T>;

/// The element_type of a C++ type.
template <convertible_element T>
constexpr element_type type_of() {
  static_assert(!is_float16<T> || (sizeof(T) == 2 && element<T>), "a float16 has 16 bits");
  if constexpr (is_float16<T>) return element_type::float16;
  if constexpr (std::same_as<T, float>) return element_type::float32;
  if constexpr (std::same_as<T, double>) return element_type::float64;
  constexpr bool is_signed = std::is_signed_v<T>;
  if constexpr (sizeof(T) == 1) return is_signed ? element_type::int8 : element_type::uint8;
  if constexpr (sizeof(T) == 2) return is_signed ? element_type::int16 : element_type::uint16;
  if constexpr (sizeof(T) == 4) return is_signed ? element_type::int32 : element_type::uint32;
  return is_signed ? element_type::int64 : element_type::uint64;
}

/// Scalars that may be an operand beside an array of T; not those that would silently lose their
/// fraction.
template <class S, class T>
concept scalar_for = detail::integer_number<S> ||
    (std::is_floating_point_v<S>&& std::is_floating_point_v<T>);

}  // namespace transfers
