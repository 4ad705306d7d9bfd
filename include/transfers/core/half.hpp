#pragma once

#include <cstdint>
#include <cstring>

#include "transfers/core/both_systems.hpp"

namespace transfers {

/// A floating-point number of 16 bits (IEEE 754 binary16), to store and to transfer: convert it to
/// float to calculate. It has the layout of CUDA's `__half`.
struct half {
  std::uint16_t bits;  ///< sign, 5 bits of exponent, 10 bits of fraction

  half() = default;
  /// Rounds to the nearest number, to even between two. From 65520 on, the result is infinite.
  TRANSFERS_BOTH explicit half(double value) : bits(rounded(value)) {}

  /// The number with these bits.
  [[nodiscard]] TRANSFERS_BOTH static half from_bits(std::uint16_t bits) {
    half number;
    number.bits = bits;
    return number;
  }

  /// Exact.
  TRANSFERS_BOTH explicit operator float() const {
    const std::uint32_t sign = (bits & 0x8000U) << 16U;
    const std::uint32_t magnitude = bits & 0x7fffU;
    std::uint32_t single = 0;
    if (magnitude < least_normal) {
      const float units = static_cast<float>(magnitude) * 0x1p-24F;
      std::memcpy(&single, &units, sizeof single);
    } else if (magnitude < infinite) {
      single = (magnitude << 13U) + ((127U - 15U) << 23U);
    } else {
      single = 0x7f80'0000U | (magnitude & 0x3ffU) << 13U;
    }
    single |= sign;
    float value = 0;
    std::memcpy(&value, &single, sizeof value);
    return value;
  }
  /// Exact.
  TRANSFERS_BOTH explicit operator double() const {
    return static_cast<double>(static_cast<float>(*this));
  }

  /// Compare as numbers: zeros are equal, NaNs are not.
  [[nodiscard]] TRANSFERS_BOTH friend bool operator==(half a, half b) {
    return static_cast<float>(a) == static_cast<float>(b);
  }

 private:
  static constexpr std::uint32_t least_normal = 0x400;  ///< 2^-14
  static constexpr std::uint32_t infinite = 0x7c00;

  /// Without the lowest bits; rounds to nearest, to even between two.
  TRANSFERS_BOTH static std::uint64_t without(unsigned bits, std::uint64_t value) {
    const std::uint64_t rest = value & ((std::uint64_t{1} << bits) - 1);
    const std::uint64_t middle = std::uint64_t{1} << (bits - 1);
    const std::uint64_t quotient = value >> bits;
    return quotient + (rest > middle || (rest == middle && quotient % 2 == 1) ? 1 : 0);
  }

  TRANSFERS_BOTH static std::uint16_t rounded(double value) {
    constexpr std::uint64_t one_exponent = std::uint64_t{1} << 52U;
    std::uint64_t number = 0;
    std::memcpy(&number, &value, sizeof number);
    const auto sign = static_cast<std::uint32_t>(number >> 48U) & 0x8000U;
    const std::uint64_t magnitude = number & ~(std::uint64_t{1} << 63U);
    const auto exponent = static_cast<unsigned>(magnitude >> 52U);
    std::uint64_t result = infinite;
    if (magnitude > 0x7ffULL * one_exponent) {  // NaN: quiet, with the first bits of its payload
      result = infinite | 0x200U | (magnitude >> 42U & 0x3ffU);
    } else if (exponent >= 1023U - 14U && exponent <= 1023U + 15U) {
      result = without(42, magnitude - (1023ULL - 15ULL) * one_exponent);  // may become infinite
    } else if (exponent < 1023U - 14U) {
      // In units of 2^-24; at most a quarter of one where more bits are lost than there are.
      const unsigned lost_bits = 1051U - exponent;
      const std::uint64_t significand = (magnitude & (one_exponent - 1)) | one_exponent;
      result = lost_bits > 54 ? 0 : without(lost_bits, significand);
    }
    return static_cast<std::uint16_t>(sign | result);
  }
};

}  // namespace transfers
