#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

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

/// Types with arithmetic on a device.
enum class element_type { int32, int64, uint32, uint64, float32, float64 };

template <class T>
concept arithmetic_element = std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t> ||
    std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t> || std::same_as<T, float> ||
    std::same_as<T, double>;

template <arithmetic_element T>
constexpr element_type type_of() {
  if constexpr (std::same_as<T, std::int32_t>) return element_type::int32;
  if constexpr (std::same_as<T, std::int64_t>) return element_type::int64;
  if constexpr (std::same_as<T, std::uint32_t>) return element_type::uint32;
  if constexpr (std::same_as<T, std::uint64_t>) return element_type::uint64;
  if constexpr (std::same_as<T, float>) return element_type::float32;
  if constexpr (std::same_as<T, double>) return element_type::float64;
}

/// Scalars that may be an operand beside an array of T; not those that would silently lose their
/// fraction.
template <class S, class T>
concept scalar_for =
    std::is_arithmetic_v<S> && !std::same_as<S, bool> && !std::same_as<S, char> &&
    !std::same_as<S, wchar_t> && !std::same_as<S, char8_t> && !std::same_as<S, char16_t> &&
    !std::same_as<S, char32_t> && (std::is_floating_point_v<T> || std::is_integral_v<S>);

}  // namespace transfers
