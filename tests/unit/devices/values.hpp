#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "transfers/core/half.hpp"

namespace transfers {

/// A number that a test can compare, print and calculate with.
template <class T>
auto number_of(T value) {
  if constexpr (std::is_same_v<T, half>)
    return static_cast<float>(value);
  else if constexpr (std::is_integral_v<T> && sizeof(T) == 1)
    return static_cast<int>(value);
  else
    return value;
}

/// NaNs are the same, and zeros of different signs are not.
template <class T>
bool same(T left, T right) {
  const auto a = number_of(left);
  const auto b = number_of(right);
  if constexpr (std::is_floating_point_v<decltype(a + b)>) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    return a == b && std::signbit(a) == std::signbit(b);
  } else {
    return a == b;
  }
}

template <class Expected, class Actual>
testing::AssertionResult all_same(const Expected& expected, const Actual& actual) {
  if (expected.size() != actual.size())
    return testing::AssertionFailure() << actual.size() << " elements";
  // Most often: one by one takes much longer.
  using element = std::remove_cvref_t<decltype(expected[0])>;
  if constexpr (std::is_same_v<element, std::remove_cvref_t<decltype(actual[0])>>)
    if (expected.empty() ||
        std::memcmp(expected.data(), actual.data(), expected.size() * sizeof(element)) == 0)
      return testing::AssertionSuccess();
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!same(expected[i], actual[i]))
      return testing::AssertionFailure() << "element " << i << " is " << number_of(actual[i])
                                         << ", not " << number_of(expected[i]);
  return testing::AssertionSuccess();
}

/// Limits, small numbers and random numbers.
template <class T>
T some_value(std::mt19937_64& random) {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, half>) {
    return half::from_bits(static_cast<std::uint16_t>(random()));
  } else if constexpr (std::is_integral_v<T>) {
    const std::array<T, 8> special{0,
                                   1,
                                   static_cast<T>(-1),
                                   2,
                                   limits::min(),
                                   limits::max(),
                                   static_cast<T>(limits::min() + 1),
                                   static_cast<T>(limits::max() / 2 + 1)};
    const auto choice = random() % 20;
    if (choice < special.size()) return special[choice];
    return static_cast<T>(choice < 14 ? random() : random() % 200);
  } else {
    const std::array<T, 12> special{0,
                                    static_cast<T>(-0.0),
                                    1,
                                    -1,
                                    limits::infinity(),
                                    -limits::infinity(),
                                    limits::quiet_NaN(),
                                    limits::max(),
                                    limits::lowest(),
                                    limits::min(),
                                    limits::denorm_min(),
                                    limits::epsilon()};
    const auto choice = random() % 30;
    if (choice < special.size()) return special[choice];
    using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    return std::bit_cast<T>(static_cast<bits>(random()));
  }
}

template <class T>
std::vector<T> some_values(std::mt19937_64& random, std::size_t count) {
  std::vector<T> values(count);
  for (auto& value : values) value = some_value<T>(random);
  return values;
}

}  // namespace transfers
