// Conversions between all element types, and float16.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/devices/test_device.hpp"
#include "tests/unit/devices/values.hpp"
#include "transfers/array/gpu_array.hpp"

namespace transfers::convert_test {
namespace {

/// A user's own type with the bits of a float16.
struct my_half {
  std::uint16_t bits;
};

static_assert(convertible_element<std::int8_t> && convertible_element<std::uint16_t> &&
              convertible_element<half> && convertible_element<long long>);
static_assert(!convertible_element<bool> && !convertible_element<char> &&
              !convertible_element<wchar_t> && !convertible_element<char32_t> &&
              !convertible_element<std::byte>);
static_assert(arithmetic_element<long long> && arithmetic_element<unsigned long long> &&
              !arithmetic_element<std::int16_t> && !arithmetic_element<half> &&
              !arithmetic_element<char32_t>);
static_assert(type_of<long long>() == element_type::int64 &&
              type_of<unsigned long>() == element_type::uint64 &&
              type_of<signed char>() == element_type::int8 &&
              type_of<unsigned short>() == element_type::uint16);
// Values that are stored by users of the library do not change.
static_assert(static_cast<int>(element_type::int32) == 0 &&
              static_cast<int>(element_type::float64) == 5 &&
              static_cast<int>(element_type::int8) == 6 &&
              static_cast<int>(element_type::float16) == 10);

/// The nearest float16, by arithmetic instead of by bits: even between two.
half nearest_half(long double value) {
  if (std::isnan(value)) return half::from_bits(0x7e00);
  const auto magnitude = std::abs(value);
  const int exponent = magnitude < 0x1p-14L ? -14 : std::ilogb(magnitude);
  const auto unit = std::ldexp(1.0L, exponent - 10);
  const auto rounded = std::isinf(value) ? magnitude : std::nearbyint(magnitude / unit) * unit;
  unsigned bits = 0;
  if (rounded >= 65536) {
    bits = 0x7c00;
  } else if (rounded < 0x1p-14L) {
    bits = static_cast<unsigned>(rounded / 0x1p-24L);
  } else {
    const int power = std::ilogb(rounded);
    bits = (static_cast<unsigned>(power + 15) << 10U) +
           static_cast<unsigned>((std::ldexp(rounded, -power) - 1) * 1024);
  }
  return half::from_bits(static_cast<std::uint16_t>(bits | (std::signbit(value) ? 0x8000U : 0U)));
}

TEST(half_precision, has_the_values_of_the_standard) {
  const auto value = [](unsigned bits) {
    return static_cast<float>(half::from_bits(static_cast<std::uint16_t>(bits)));
  };
  EXPECT_EQ(value(0x3c00), 1.0F);
  EXPECT_EQ(value(0xc000), -2.0F);
  EXPECT_EQ(value(0x7bff), 65504.0F);
  EXPECT_EQ(value(0x0400), 0x1p-14F);
  EXPECT_EQ(value(0x03ff), 0x1p-14F - 0x1p-24F);
  EXPECT_EQ(value(0x0001), 0x1p-24F);
  EXPECT_EQ(value(0x3555), 0.333251953125F);
  EXPECT_EQ(value(0x7c00), std::numeric_limits<float>::infinity());
  EXPECT_EQ(value(0xfc00), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(value(0x7e00)));
  EXPECT_TRUE(std::isnan(value(0xfc01)));
  EXPECT_EQ(value(0x8000), 0.0F);
  EXPECT_TRUE(std::signbit(value(0x8000)));
}

TEST(half_precision, survives_as_float) {
  for (unsigned bits = 0; bits <= 0xffff; ++bits) {
    const auto number = half::from_bits(static_cast<std::uint16_t>(bits));
    const auto value = static_cast<float>(number);
    const half back(value);
    if (std::isnan(value))
      ASSERT_TRUE(std::isnan(static_cast<float>(back))) << bits;
    else
      ASSERT_EQ(back.bits, bits);
  }
}

TEST(half_precision, is_rounded_to_the_nearest_even_number) {
  EXPECT_EQ(half(65519.9).bits, 0x7bff);
  EXPECT_EQ(half(65520).bits, 0x7c00);
  EXPECT_EQ(half(-1e300).bits, 0xfc00);
  EXPECT_EQ(half(0x1p-25).bits, 0);    // between 0 and the least subnormal number
  EXPECT_EQ(half(0x1.8p-24).bits, 2);  // between 1 and 2 of them
  EXPECT_EQ(half(0x1.001p-25).bits, 1);
  EXPECT_EQ(half(0x1.ff8p-15 + 0x1p-26).bits, 0x3ff);
  EXPECT_EQ(half(0x1.ffcp-15).bits, 0x400);  // becomes normal
  EXPECT_EQ(half(1 + 0x1p-11).bits, 0x3c00);
  EXPECT_EQ(half(1 + 0x3p-11).bits, 0x3c02);
  // Rounded once: as a float, it would be 1 + 2^-11, and then 1.
  EXPECT_EQ(half(1 + 0x1p-11 + 0x1p-40).bits, 0x3c01);
  std::mt19937_64 random{7};
  for (int i = 0; i < 200'000; ++i) {
    const auto value = std::ldexp(1 + static_cast<double>(random()) * 0x1p-64,
                                  static_cast<int>(random() % 46) - 28) *
                       (random() % 2 ? 1 : -1);
    const auto next = half::from_bits(static_cast<std::uint16_t>(random() % 0x7bff));
    const auto middle =
        (static_cast<double>(next) +
         static_cast<double>(half::from_bits(static_cast<std::uint16_t>(next.bits + 1)))) /
        2;
    ASSERT_EQ(half(value).bits, nearest_half(value).bits) << value;
    ASSERT_EQ(half(middle).bits, nearest_half(middle).bits) << middle;
  }
}

TEST(half_precision, compares_as_a_number) {
  EXPECT_EQ(half::from_bits(0), half::from_bits(0x8000));
  EXPECT_NE(half(1), half(2));
  EXPECT_NE(half::from_bits(0x7e00), half::from_bits(0x7e00));
}

template <class To, class From>
To expected_conversion(From value) {
  if constexpr (std::is_same_v<From, half>) {
    if constexpr (std::is_same_v<To, half>)
      return value;
    else
      return expected_conversion<To>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, half>) {
    return nearest_half(static_cast<long double>(value));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    if (std::isnan(value)) return 0;
    // Exact: all integers of 64 bits are long doubles.
    static_assert(std::numeric_limits<long double>::digits >= 64);
    const auto truncated = std::trunc(static_cast<long double>(value));
    if (truncated > static_cast<long double>(std::numeric_limits<To>::max()))
      return std::numeric_limits<To>::max();
    if (truncated < static_cast<long double>(std::numeric_limits<To>::min()))
      return std::numeric_limits<To>::min();
    return static_cast<To>(truncated);
  } else {
    return static_cast<To>(value);
  }
}

template <class T>
class arrays_of : public testing::Test {
 protected:
  std::unique_ptr<device> opened = open_test_device();
  context gpu{*opened};
  std::mt19937_64 random{42};

  /// Half of them around the limits of integers and of float16.
  std::vector<T> numbers(std::size_t count) {
    auto values = some_values<T>(random, count);
    if constexpr (std::is_floating_point_v<T>)
      for (auto& value : values)
        if (random() % 2) {
          const auto exponent = static_cast<int>(random() % 100) - 30;
          value = std::ldexp(static_cast<T>(1), exponent) * (random() % 2 ? 1 : -1);
          const auto neighbour = random() % 3;
          if (neighbour == 0) value = std::nextafter(value, static_cast<T>(0));
          if (neighbour == 1) value = std::nextafter(value, 2 * value);
          if (random() % 4 == 0) value += static_cast<T>(0.5);
        }
    return values;
  }
};
using all_types =
    testing::Types<std::int32_t, std::int64_t, std::uint32_t, std::uint64_t, float, double,
                   std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, half, long long>;
TYPED_TEST_SUITE(arrays_of, all_types);

TYPED_TEST(arrays_of, numbers_convert_to_all_types) {
  // The host uses all cores from a larger size on than the device.
  const std::vector arrays{this->numbers(1), this->numbers(1009), this->numbers(600'003)};
  const auto check = [&]<class To>(To) {
    for (const auto& values : arrays) {
      std::vector<To> expected(values.size());
      std::ranges::transform(values, expected.begin(), expected_conversion<To, TypeParam>);
      const auto array = to_gpu(this->gpu, values);
      EXPECT_TRUE(all_same(expected, array.template astype<To>().get())) << typeid(To).name();
      try {
        EXPECT_TRUE(all_same(expected, to_gpu_as<To>(this->gpu, values, convert_on::host).get()));
      } catch (const out_of_memory&) {  // no page-locked memory is available
      }
      EXPECT_TRUE(all_same(expected, to_gpu_as<To>(this->gpu, values, convert_on::device).get()));
    }
  };
  check(std::int32_t{});
  check(std::int64_t{});
  check(std::uint32_t{});
  check(std::uint64_t{});
  check(float{});
  check(double{});
  check(std::int8_t{});
  check(std::uint8_t{});
  check(std::int16_t{});
  check(std::uint16_t{});
  check(half{});
}

}  // namespace
}  // namespace transfers::convert_test

template <>
inline constexpr bool transfers::is_float16<transfers::convert_test::my_half> = true;

namespace transfers::convert_test {
namespace {

TEST(types_of_users, convert_as_float16) {
  const auto opened = open_test_device();
  const context gpu(*opened);
  const auto array = to_gpu(gpu, std::vector<my_half>{{0x3c00}, {0xc000}});
  EXPECT_THAT(array.astype<float>().get(), ElementsAre(1, -2));
  const auto back = to_gpu(gpu, std::vector<float>{0.5F}).astype<my_half>().get();
  EXPECT_EQ(back[0].bits, 0x3800);
}

}  // namespace
}  // namespace transfers::convert_test
