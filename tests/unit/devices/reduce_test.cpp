#include "transfers/array/reduce.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/devices/test_device.hpp"
#include "tests/unit/devices/values.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/array/create.hpp"

namespace transfers::reduce_test {
namespace {

static_assert(std::is_same_v<decltype(sum(std::declval<gpu_array<float>>())), double>);
static_assert(std::is_same_v<decltype(sum(std::declval<gpu_array<std::int32_t>>())), std::int64_t>);
static_assert(
    std::is_same_v<decltype(sum(std::declval<gpu_array<std::uint32_t>>())), std::uint64_t>);
static_assert(
    std::is_same_v<
        decltype(dot(std::declval<gpu_array<float>>(), std::declval<gpu_array<float>>())), double>);
static_assert(std::is_same_v<decltype(min(std::declval<gpu_array<float>>())), float>);

// The device uses one core for the small sizes, and all cores for the large one.
constexpr std::array<std::size_t, 4> sizes{1, 2, 1009, 200'003};

template <class T>
class reductions_of : public testing::Test {
 protected:
  counting_device opened{open_test_device()};
  context gpu{opened};
  std::mt19937_64 random{17};

  /// Floating-point numbers whose sums are exact in every order.
  std::vector<T> numbers(std::size_t count) {
    if constexpr (std::is_integral_v<T>) return some_values<T>(random, count);
    std::vector<T> values(count);
    for (auto& value : values)
      value = static_cast<T>(static_cast<int>(random() % 20'001) - 10'000) / 8;
    return values;
  }
};
using types = testing::Types<std::int32_t, std::int64_t, std::uint32_t, std::uint64_t, float,
                             double, long long>;
TYPED_TEST_SUITE(reductions_of, types);

TYPED_TEST(reductions_of, numbers_are_those_of_a_loop) {
  using wide = widened<TypeParam>;
  // Unsigned, because signed integers wrap around, too.
  using summed = std::conditional_t<std::is_integral_v<TypeParam>, std::uint64_t, wide>;
  for (const auto size : sizes) {
    const auto a = this->numbers(size);
    const auto b = this->numbers(size);
    summed expected_sum = 0;
    summed expected_dot = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const auto x = static_cast<summed>(static_cast<wide>(a[i]));
      expected_sum += x;
      expected_dot += x * static_cast<summed>(static_cast<wide>(b[i]));
    }
    const auto x = to_gpu(this->gpu, a);
    const auto y = to_gpu(this->gpu, b);
    EXPECT_EQ(sum(x), static_cast<wide>(expected_sum)) << size;
    EXPECT_EQ(dot(x, y), static_cast<wide>(expected_dot)) << size;
    EXPECT_EQ(min(x), *std::ranges::min_element(a)) << size;
    EXPECT_EQ(max(x), *std::ranges::max_element(a)) << size;
  }
}

TYPED_TEST(reductions_of, equal_numbers_do_not_see_their_starting_value) {
  using limits = std::numeric_limits<TypeParam>;
  for (const auto value : {limits::max(), limits::lowest(), TypeParam{3}}) {
    const auto array = full<TypeParam>(this->gpu, {1000}, value);
    EXPECT_EQ(min(array), value);
    EXPECT_EQ(max(array), value);
  }
}

TYPED_TEST(reductions_of, no_numbers) {
  const gpu_array<TypeParam> none(this->gpu, {3, 0});
  EXPECT_EQ(sum(none), 0);
  EXPECT_EQ(dot(none, none), 0);
  EXPECT_THAT([&] { static_cast<void>(min(none)); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("no minimum")));
  EXPECT_THAT([&] { static_cast<void>(max(none)); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("no maximum")));
}

TYPED_TEST(reductions_of, pending_results_wait_for_them) {
  this->opened.counts().slowed_by = std::chrono::milliseconds(3);
  auto array = ones<TypeParam>(this->gpu, {100});
  array += 1;
  EXPECT_EQ(sum(array), 200);
}

template <class T>
class reductions_of_fractions : public reductions_of<T> {};
using fractions = testing::Types<float, double>;
TYPED_TEST_SUITE(reductions_of_fractions, fractions);

TYPED_TEST(reductions_of_fractions, give_nan_for_nan_wherever_it_is) {
  const auto nan = std::numeric_limits<TypeParam>::quiet_NaN();
  for (const auto size : sizes)
    for (const auto index : {std::size_t{0}, size / 2, size - 1}) {
      auto values = this->numbers(size);
      values[index] = nan;
      const auto array = to_gpu(this->gpu, values);
      const auto others = ones_like(array);
      EXPECT_TRUE(std::isnan(sum(array)));
      EXPECT_TRUE(std::isnan(min(array))) << size << ' ' << index;
      EXPECT_TRUE(std::isnan(max(array))) << size << ' ' << index;
      EXPECT_TRUE(std::isnan(dot(others, array)));
    }
}

TYPED_TEST(reductions_of_fractions, handle_infinity) {
  const auto infinity = std::numeric_limits<TypeParam>::infinity();
  const auto array = to_gpu(this->gpu, std::vector<TypeParam>{1, infinity, -2});
  EXPECT_EQ(sum(array), static_cast<double>(infinity));
  EXPECT_EQ(max(array), infinity);
  EXPECT_EQ(min(array), -2);
  const auto infinite = full<TypeParam>(this->gpu, {10}, infinity);
  EXPECT_EQ(min(infinite), infinity);
  EXPECT_EQ(max(-infinite), -infinity);
}

using reductions = reductions_of<float>;

TEST_F(reductions, of_floats_are_calculated_in_double) {
  // In float, 2^24 + 1 is 2^24.
  const auto array = full<float>(gpu, {(std::size_t{1} << 24U) + 5}, 1);
  EXPECT_EQ(sum(array), 0x1p24 + 5);
  const auto large = full<float>(gpu, {2}, 3e38F);
  EXPECT_EQ(dot(large, large), 2 * static_cast<double>(3e38F) * static_cast<double>(3e38F));
}

TEST_F(reductions, of_two_arrays_need_the_same_shape_and_context) {
  const auto a = ones<float>(gpu, {2, 3});
  EXPECT_THROW(static_cast<void>(dot(a, ones<float>(gpu, {3, 2}))), shape_mismatch);
  EXPECT_THROW(static_cast<void>(dot(a, ones<float>(gpu, {2, 3}, order::column_major))),
               shape_mismatch);
  const context another(opened);
  EXPECT_THROW(static_cast<void>(dot(a, ones<float>(another, {2, 3}))), std::invalid_argument);
  EXPECT_EQ(sum(ones<float>(gpu, {2, 3}, order::column_major)), 6);
}

TEST_F(reductions, refuse_types_without_arithmetic) {
  const reduction bytes{reduction_operation::sum, element_type::uint8, nullptr, nullptr, 1};
  EXPECT_THROW(static_cast<void>(gpu.stream().reduce(bytes)), std::invalid_argument);
  EXPECT_THROW(gpu.stream().write_sequence({element_type::float16, {}, {}, nullptr, 1}),
               std::invalid_argument);
  EXPECT_THROW(gpu.stream().calculate({arithmetic::add, element_type::int16, {}, {}, nullptr, 1}),
               std::invalid_argument);
}

TEST_F(reductions, throw_what_the_device_throws) {
  const auto array = ones<float>(gpu, {10});
  opened.counts().failing_operation = opened.counts().operations + 1;
  EXPECT_THROW(static_cast<void>(sum(array)), device_error);
  EXPECT_EQ(sum(array), 10);
}

}  // namespace
}  // namespace transfers::reduce_test
