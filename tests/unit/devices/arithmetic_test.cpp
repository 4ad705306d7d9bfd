#include "transfers/array/arithmetic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/devices/test_device.hpp"
#include "tests/unit/devices/values.hpp"
#include "tests/unit/transfers/counting_device.hpp"

namespace transfers::arithmetic_test {
namespace {

template <class A, class B>
concept addable = requires(const A& a, const B& b) {
  a + b;
};
template <class A, class B>
concept addable_in_place = requires(A& a, const B& b) {
  a += b;
};

using ints = gpu_array<std::int32_t>;
using floats = gpu_array<float>;
static_assert(addable<ints, ints> && addable<ints, int> && addable<int, ints> &&
              addable<ints, std::int64_t> && addable<ints, std::uint8_t>);
static_assert(addable<floats, floats> && addable<floats, double> && addable<floats, int> &&
              addable<double, floats>);
static_assert(!addable<ints, std::string>);  // tests/refusals has the combinations of numbers
static_assert(addable_in_place<ints, ints> && addable_in_place<ints, int> &&
              !addable_in_place<const ints, int> && !addable_in_place<int, ints>);
static_assert(std::is_same_v<decltype(1.5 * std::declval<const floats&>()), floats>);

constexpr std::array all_operations{arithmetic::add, arithmetic::subtract, arithmetic::multiply,
                                    arithmetic::divide};

/// The result that stream.hpp specifies, computed independently.
template <class T>
T expected_of(arithmetic operation, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    __extension__ using wide = __int128;
    const auto x = static_cast<wide>(a);
    const auto y = static_cast<wide>(b);
    switch (operation) {
      case arithmetic::add: return static_cast<T>(x + y);
      case arithmetic::subtract: return static_cast<T>(x - y);
      case arithmetic::multiply:
        return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
      case arithmetic::divide: return y == 0 ? T{0} : static_cast<T>(x / y);
    }
  } else {
    switch (operation) {
      case arithmetic::add: return a + b;
      case arithmetic::subtract: return a - b;
      case arithmetic::multiply: return a * b;
      case arithmetic::divide: return a / b;
    }
  }
  return T{};
}

template <class T>
class arithmetic_on_arrays : public testing::Test {
 protected:
  std::unique_ptr<device> host = open_test_device();
  context gpu{*host};
  std::mt19937_64 random{42};
};
using calculable_types = testing::Types<std::int32_t, std::int64_t, std::uint32_t, std::uint64_t,
                                        long long, unsigned long long, float, double>;
TYPED_TEST_SUITE(arithmetic_on_arrays, calculable_types);

// The device uses one core for the small sizes, and all cores for the large one.
constexpr std::array<std::size_t, 4> sizes{1, 2, 1009, 200'003};

TYPED_TEST(arithmetic_on_arrays, is_elementwise_and_defined_for_all_values) {
  for (const auto size : sizes) {
    const auto a = some_values<TypeParam>(this->random, size);
    const auto b = some_values<TypeParam>(this->random, size);
    const auto x = to_gpu(this->gpu, a);
    const auto y = to_gpu(this->gpu, b);
    for (const auto operation : all_operations) {
      std::vector<TypeParam> expected(size);
      std::ranges::transform(a, b, expected.begin(),
                             [&](auto i, auto j) { return expected_of(operation, i, j); });
      auto result = empty_like(x);
      calculate(operation, x, y, result);
      EXPECT_TRUE(all_same(expected, result.get())) << static_cast<int>(operation);
      EXPECT_TRUE(all_same(a, x.get()));
      EXPECT_TRUE(all_same(b, y.get()));

      auto lhs = to_gpu(this->gpu, a);
      calculate(operation, lhs, y, lhs);
      EXPECT_TRUE(all_same(expected, lhs.get())) << static_cast<int>(operation);
      auto rhs = to_gpu(this->gpu, b);
      calculate(operation, x, rhs, rhs);
      EXPECT_TRUE(all_same(expected, rhs.get())) << static_cast<int>(operation);

      std::ranges::transform(a, a, expected.begin(),
                             [&](auto i, auto j) { return expected_of(operation, i, j); });
      auto operand = to_gpu(this->gpu, a);
      calculate(operation, operand, operand, operand);
      EXPECT_TRUE(all_same(expected, operand.get())) << static_cast<int>(operation);
    }
  }
}

TYPED_TEST(arithmetic_on_arrays, with_a_scalar_is_elementwise) {
  for (const auto size : sizes) {
    const auto a = some_values<TypeParam>(this->random, size);
    const auto x = to_gpu(this->gpu, a);
    for (const auto operation : all_operations)
      for (int i = 0; i < (size > 10'000 ? 2 : 12); ++i) {
        const auto scalar = some_value<TypeParam>(this->random);
        std::vector<TypeParam> expected(size);
        std::ranges::transform(a, expected.begin(), [&](auto element) {
          return expected_of(operation, element, scalar);
        });
        auto result = empty_like(x);
        calculate(operation, x, scalar, result);
        EXPECT_TRUE(all_same(expected, result.get()))
            << static_cast<int>(operation) << ' ' << scalar;
        std::ranges::transform(a, expected.begin(), [&](auto element) {
          return expected_of(operation, scalar, element);
        });
        auto in_place = to_gpu(this->gpu, a);
        calculate(operation, scalar, in_place, in_place);
        EXPECT_TRUE(all_same(expected, in_place.get()))
            << static_cast<int>(operation) << ' ' << scalar;
      }
  }
}

TYPED_TEST(arithmetic_on_arrays, has_operators) {
  const auto a = to_gpu(this->gpu, std::vector<TypeParam>{6, 8, 21, 100});
  const auto b = to_gpu(this->gpu, std::vector<TypeParam>{2, 4, 7, 9});
  const auto are = [](const gpu_array<TypeParam>& got, std::vector<TypeParam> expected) {
    return all_same(expected, got.get());
  };
  using T = TypeParam;
  EXPECT_TRUE(are(a + b, {8, 12, 28, 109}));
  EXPECT_TRUE(are(a - b, {4, 4, 14, 91}));
  EXPECT_TRUE(are(a * b, {12, 32, 147, 900}));
  EXPECT_TRUE(are(a / b, {3, 2, 3, static_cast<T>(T{100} / T{9})}));
  EXPECT_TRUE(are(a + 1, {7, 9, 22, 101}));
  EXPECT_TRUE(are(1 + a, {7, 9, 22, 101}));
  EXPECT_TRUE(are(a - 1, {5, 7, 20, 99}));
  EXPECT_TRUE(are(200 - a, {194, 192, 179, 100}));
  EXPECT_TRUE(are(2 * a, {12, 16, 42, 200}));
  EXPECT_TRUE(are(a * 2, {12, 16, 42, 200}));
  EXPECT_TRUE(are(a / 2, {3, 4, static_cast<T>(T{21} / T{2}), 50}));
  EXPECT_TRUE(are(1680 / a, {280, 210, 80, static_cast<T>(T{1680} / T{100})}));
  EXPECT_TRUE(are((a + b) * (a - b) / 2 - 1, {15, 23, 195, static_cast<T>(T{9919} / T{2} - 1)}));
  auto c = a + 0;
  auto& result = ((c += b) -= 1) *= 2;
  EXPECT_EQ(&result, &c);
  EXPECT_TRUE(are(c, {14, 22, 54, 216}));
  c /= b;
  EXPECT_TRUE(are(c, {7, static_cast<T>(T{22} / T{4}), static_cast<T>(T{54} / T{7}), 24}));
  c -= c;
  EXPECT_TRUE(are(c, {0, 0, 0, 0}));
  EXPECT_TRUE(are(a, {6, 8, 21, 100}));
}

TYPED_TEST(arithmetic_on_arrays, has_a_unary_minus) {
  const auto a = some_values<TypeParam>(this->random, 1009);
  std::vector<TypeParam> expected(a.size());
  std::ranges::transform(a, expected.begin(), [](auto value) {
    if constexpr (std::is_integral_v<TypeParam>)
      return static_cast<TypeParam>(~static_cast<std::uint64_t>(value) + 1);
    else
      return -value;
  });
  const auto array = to_gpu(this->gpu, a);
  EXPECT_TRUE(all_same(expected, (-array).get()));
  EXPECT_TRUE(all_same(a, array.get()));
}

TYPED_TEST(arithmetic_on_arrays, refuses_what_has_been_moved_from) {
  auto array = to_gpu(this->gpu, std::vector<TypeParam>{1, 2, 3});
  const auto now = std::move(array);
  // NOLINTNEXTLINE(bugprone-use-after-move)
  if (array.shape().elements() == array.size()) GTEST_SKIP() << "what was moved from is empty";
  EXPECT_THROW(static_cast<void>(array + 1), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(2 * array), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(now + array), std::exception);
  EXPECT_EQ((now + 1).size(), 3U);
}

TYPED_TEST(arithmetic_on_arrays, that_are_empty_gives_empty_arrays) {
  const gpu_array<TypeParam> none(this->gpu, {3, 0});
  EXPECT_EQ((none + none).shape(), shape({3, 0}));
  EXPECT_EQ((none * 2 - 1).size(), 0U);
  gpu_array<TypeParam> in_place(this->gpu, {3, 0});
  in_place += 1;
  in_place += none;
}

TYPED_TEST(arithmetic_on_arrays, keeps_shape_and_order) {
  const auto a = zeros<TypeParam>(this->gpu, {2, 3}, order::column_major);
  const auto sum = a + a;
  EXPECT_EQ(sum.shape(), shape({2, 3}));
  EXPECT_EQ(sum.order(), order::column_major);
  EXPECT_EQ(sum.context(), this->gpu);
}

class arithmetic_on_int_arrays : public testing::Test {
 protected:
  counting_device host{open_test_device()};
  context gpu{host};
  gpu_array<std::int32_t> a = to_gpu(gpu, std::vector<std::int32_t>{1, 2, 3});
};

TEST_F(arithmetic_on_int_arrays, defines_what_cpp_does_not) {
  constexpr auto least = std::numeric_limits<std::int32_t>::min();
  constexpr auto most = std::numeric_limits<std::int32_t>::max();
  EXPECT_THAT((a / 0).get(), ElementsAre(0, 0, 0));
  EXPECT_THAT((7 / (a - a)).get(), ElementsAre(0, 0, 0));
  EXPECT_THAT((to_gpu(gpu, std::vector{least, most}) / -1).get(), ElementsAre(least, -most));
  EXPECT_THAT((to_gpu(gpu, std::vector{least, most}) - 1).get(), ElementsAre(most, most - 1));
  EXPECT_THAT((most + a).get(), ElementsAre(least, least + 1, least + 2));
  EXPECT_THAT(
      (to_gpu(gpu, std::vector{65'536, 46'341}) * to_gpu(gpu, std::vector{65'536, 46'341})).get(),
      ElementsAre(0, -2'147'479'015));
  EXPECT_THAT((to_gpu(gpu, std::vector{-7, 7}) / 2).get(), ElementsAre(-3, 3));  // not -4
  EXPECT_THAT((0 - to_gpu(gpu, std::vector<std::uint32_t>{1})).get(), ElementsAre(4'294'967'295U));
  const auto infinite = to_gpu(gpu, std::vector<float>{1, -1, 0}) / 0;
  const auto got = infinite.get();
  EXPECT_EQ(got[0], std::numeric_limits<float>::infinity());
  EXPECT_EQ(got[1], -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(got[2]));
}

TEST_F(arithmetic_on_int_arrays, takes_scalars_of_other_types_that_fit) {
  EXPECT_THAT((a + std::uint64_t{5}).get(), ElementsAre(6, 7, 8));
  EXPECT_THAT((a + std::int64_t{-5}).get(), ElementsAre(-4, -3, -2));
  EXPECT_THAT((a * std::uint8_t{200}).get(), ElementsAre(200, 400, 600));
  const auto single = a.astype<float>();
  EXPECT_THAT((single * 0.5).get(), ElementsAre(0.5F, 1.0F, 1.5F));
  EXPECT_THAT((1 / single).get(), ElementsAre(1.0F, 0.5F, 1.0F / 3));
  EXPECT_THAT((single + 0.1).get()[0], 1.0F + 0.1F);  // rounded before
}

TEST_F(arithmetic_on_int_arrays, refuses_scalars_that_do_not_fit) {
  const auto enqueued = host.counts().enqueued.load();
  EXPECT_THAT([&] { static_cast<void>(a + 3'000'000'000); },
              ThrowsMessage<std::out_of_range>(HasSubstr("3000000000")));
  EXPECT_THAT([&] { static_cast<void>(std::int64_t{-2'147'483'649} * a); },
              ThrowsMessage<std::out_of_range>(HasSubstr("-2147483649")));
  EXPECT_THROW(a -= std::uint64_t{2'147'483'648}, std::out_of_range);
  EXPECT_NO_THROW(a -= std::int64_t{2'147'483'647});
  const auto positive = to_gpu(gpu, std::vector<std::uint32_t>{1});
  EXPECT_THROW(static_cast<void>(positive + -1), std::out_of_range);
  EXPECT_THROW(static_cast<void>(-1 / positive), std::out_of_range);
  EXPECT_EQ(host.counts().enqueued, enqueued + 2);  // what fits, and one upload
}

TEST_F(arithmetic_on_int_arrays, needs_equal_shapes_and_orders) {
  const auto rows = zeros<std::int32_t>(gpu, {2, 3});
  const auto transposed = zeros<std::int32_t>(gpu, {3, 2});
  const auto columns = zeros<std::int32_t>(gpu, {2, 3}, order::column_major);
  EXPECT_THAT([&] { static_cast<void>(rows + transposed); },
              ThrowsMessage<shape_mismatch>(AllOf(HasSubstr("(2, 3)"), HasSubstr("(3, 2)"))));
  EXPECT_THAT([&] { a *= rows; },
              ThrowsMessage<shape_mismatch>(AllOf(HasSubstr("(3)"), HasSubstr("(2, 3)"))));
  EXPECT_THAT([&] { static_cast<void>(rows - columns); },
              ThrowsMessage<shape_mismatch>(
                  AllOf(HasSubstr("(2, 3)"), HasSubstr("row-major"), HasSubstr("column-major"))));
  auto result = zeros<std::int32_t>(gpu, {6});
  EXPECT_THROW(calculate(arithmetic::add, rows, rows, result), shape_mismatch);
  EXPECT_THROW(calculate(arithmetic::add, rows, 1, result), shape_mismatch);
  EXPECT_THROW(calculate(arithmetic::add, 1, rows, result), shape_mismatch);
  EXPECT_THAT(result.get(), Each(0));
  EXPECT_THAT(a.get(), ElementsAre(1, 2, 3));
  const auto broadcast = to_gpu(gpu, std::vector{1});
  EXPECT_THROW(static_cast<void>(a + broadcast), shape_mismatch);  // nothing is broadcast
  EXPECT_THROW(static_cast<void>(a + zeros<std::int32_t>(gpu, {})), shape_mismatch);
}

TEST_F(arithmetic_on_int_arrays, does_not_distinguish_the_orders_of_one_row) {
  const auto columns = to_gpu(gpu, std::vector<std::int32_t>{1, 1, 1}, {3}, order::column_major);
  EXPECT_THAT((a + columns).get(), ElementsAre(2, 3, 4));
}

TEST_F(arithmetic_on_int_arrays, needs_one_context) {
  const context another(host);
  const auto b = to_gpu(another, std::vector<std::int32_t>{1, 1, 1});
  EXPECT_THAT([&] { static_cast<void>(a + b); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("different contexts")));
  EXPECT_THROW(a += b, std::invalid_argument);
  auto result = empty_like(b);
  EXPECT_THROW(calculate(arithmetic::add, a, a, result), std::invalid_argument);
  EXPECT_THROW(calculate(arithmetic::add, a, 1, result), std::invalid_argument);
  const auto copy = gpu;  // the same
  EXPECT_NO_THROW(static_cast<void>(a + to_gpu(copy, std::vector<std::int32_t>{1, 1, 1})));
}

TEST_F(arithmetic_on_int_arrays, is_only_enqueued) {
  host.counts().slowed_by = std::chrono::milliseconds(5);
  const auto sum = a + a;
  EXPECT_FALSE(host.counts().idle());
  EXPECT_THAT(sum.get(), ElementsAre(2, 4, 6));
}

TEST_F(arithmetic_on_int_arrays, is_one_operation_of_the_stream) {
  const auto before = host.counts().enqueued.load();
  const auto sum = a + a;
  EXPECT_EQ(host.counts().enqueued, before + 1);
}

TEST_F(arithmetic_on_int_arrays, reuses_the_memory_of_temporaries) {
  const auto size = std::size_t{1} << 16;
  const auto ones = to_gpu(gpu, std::vector<std::int32_t>(size, 1));
  auto sum = ones + 0;
  for (int i = 0; i < 50; ++i) sum = (sum + ones) * 2 - (sum + ones);
  EXPECT_THAT(sum.get(), Each(51));
  // Two arrays are in use, and two or three temporaries.
  EXPECT_LE(host.counts().device_blocks, 7U);
}

TEST_F(arithmetic_on_int_arrays, leaves_nothing_behind_when_it_fails) {
  for (const auto kind : {failure::allocation, failure::operation})
    for (const auto allocation_kind : {allocation::plain, allocation::pooled}) {
      const auto failures = fail_each(
          kind,
          [&](counting_device& failing) {
            bool succeeded = true;
            {
              const context failing_gpu(failing, allocation_kind);
              try {
                auto x = to_gpu(failing_gpu, std::vector<double>{1, 2, 3});
                const auto y = (x + x) * 2.0 - x / 3.0;
                x += y;
                static_cast<void>(x.get());
              } catch (const error&) {
                succeeded = false;
              }
            }
            EXPECT_TRUE(failing.counts().nothing_allocated());
            // A pool without blocks in use releases its memory and tries again.
            return succeeded && failing.counts().failing_allocation != 1;
          },
          open_test_device);
      EXPECT_GT(failures,
                kind == failure::allocation && allocation_kind == allocation::pooled ? 0U : 3U);
    }
}

}  // namespace
}  // namespace transfers::arithmetic_test
