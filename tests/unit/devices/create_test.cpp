#include "transfers/array/create.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/devices/test_device.hpp"
#include "tests/unit/transfers/counting_device.hpp"

namespace transfers::create_test {
namespace {

class creation : public testing::Test {
 protected:
  counting_device opened{open_test_device()};
  context gpu{opened};
};

// The device uses one core for the small size, and all cores for the large one.
constexpr std::array<std::size_t, 2> sizes{17, 1'300'003};

/// Faster than a matcher of each element.
template <class T>
bool all_are(const gpu_array<T>& array, const std::type_identity_t<T>& value) {
  const auto elements = array.get();
  return std::ranges::all_of(elements, [&](const T& element) { return element == value; });
}

TEST_F(creation, of_one_value_repeats_every_size_of_element) {
  struct two_words {
    std::uint64_t words[2];
    bool operator==(const two_words&) const = default;
  };
  for (const auto size : sizes) {
    EXPECT_TRUE(all_are(full<char>(gpu, {size}, 'x'), 'x'));
    EXPECT_TRUE(all_are(full<std::int16_t>(gpu, {size}, -2), -2));
    EXPECT_TRUE(all_are(full(gpu, {size}, 0.1F), 0.1F));
    EXPECT_TRUE(all_are(full(gpu, {size}, std::uint64_t{0x0102030405060708}),
                        std::uint64_t{0x0102030405060708}));
    EXPECT_TRUE(all_are(full(gpu, {size}, std::complex(1.5, -2.5)), std::complex(1.5, -2.5)));
    EXPECT_TRUE(all_are(full(gpu, {size}, two_words{{3, 4}}), two_words{{3, 4}}));
    EXPECT_TRUE(all_are(full(gpu, {size}, half(0.5)), half(0.5)));
  }
}

TEST_F(creation, of_equal_bytes_gives_the_value) {
  for (const auto size : sizes) {
    EXPECT_TRUE(all_are(full<std::int32_t>(gpu, {size}, -1), -1));
    EXPECT_TRUE(all_are(full<double>(gpu, {size}, 0), 0));
    EXPECT_TRUE(all_are(full<std::uint16_t>(gpu, {size}, 0x0707), 0x0707));
  }
}

TEST_F(creation, has_shape_and_order) {
  const auto array = full<float>(gpu, {2, 3}, 4, order::column_major);
  EXPECT_EQ(array.shape(), shape({2, 3}));
  EXPECT_EQ(array.order(), order::column_major);
  const auto like = full_like(array, 5);
  EXPECT_EQ(like.shape(), shape({2, 3}));
  EXPECT_EQ(like.order(), order::column_major);
  EXPECT_THAT(like.get(), Each(5.0F));
  EXPECT_THAT(ones<std::int32_t>(gpu, {2, 2}).get(), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(ones<half>(gpu, {2}).get(), Each(half(1)));
  const auto as_ones = ones_like(array);
  EXPECT_EQ(as_ones.order(), order::column_major);
  EXPECT_THAT(as_ones.get(), Each(1.0F));
}

TEST_F(creation, fills_an_array_that_exists) {
  auto array = to_gpu(gpu, std::vector<float>{1, 2, 3});
  const auto before = opened.counts().enqueued.load();
  fill(array, 7);
  EXPECT_EQ(opened.counts().enqueued, before + 1);
  EXPECT_THAT(array.get(), ElementsAre(7, 7, 7));
}

TEST_F(creation, of_nothing_does_nothing) {
  EXPECT_THAT(full<float>(gpu, {3, 0}, 1).get(), IsEmpty());
  EXPECT_THAT(arange<float>(gpu, 0).get(), IsEmpty());
  EXPECT_EQ(opened.counts().enqueued, 0U);
}

TEST_F(creation, of_numbers_counts_up_and_down) {
  EXPECT_THAT(arange<std::int32_t>(gpu, 4).get(), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(arange<float>(gpu, 3).get(), ElementsAre(0, 1, 2));
  EXPECT_THAT(arange<std::int64_t>(gpu, -2, 3).get(), ElementsAre(-2, -1, 0, 1, 2));
  EXPECT_THAT(arange<std::int32_t>(gpu, 0, 10, 3).get(), ElementsAre(0, 3, 6, 9));
  EXPECT_THAT(arange<std::int32_t>(gpu, 0, 9, 3).get(), ElementsAre(0, 3, 6));
  EXPECT_THAT(arange<std::int32_t>(gpu, 5, -6, -5).get(), ElementsAre(5, 0, -5));
  EXPECT_THAT(arange<std::uint32_t>(gpu, 7, 5).get(), IsEmpty());
  EXPECT_THAT(arange<std::uint64_t>(gpu, UINT64_MAX - 2, UINT64_MAX).get(),
              ElementsAre(UINT64_MAX - 2, UINT64_MAX - 1));
  EXPECT_THAT(arange<std::int64_t>(gpu, INT64_MIN, INT64_MAX, INT64_MAX).get(),
              ElementsAre(INT64_MIN, -1, INT64_MAX - 1));
  EXPECT_THAT(arange<double>(gpu, 1, 0, -0.25).get(), ElementsAre(1, 0.75, 0.5, 0.25));
  EXPECT_EQ(arange<float>(gpu, 3).shape(), shape({3}));
}

TEST_F(creation, of_fractions_rounds_once) {
  for (const auto size : sizes) {
    const auto last = static_cast<double>(size) * 0.1;
    const auto singles = arange<float>(gpu, 0.3, 0.3 + last, 0.1).get();
    const auto doubles = arange<double>(gpu, 0.3, 0.3 + last, 0.1).get();
    ASSERT_NEAR(static_cast<double>(singles.size()), static_cast<double>(size), 1);
    for (std::size_t i = 0; i < singles.size(); ++i) {
      const auto exact = std::fma(static_cast<double>(i), 0.1, 0.3);
      ASSERT_EQ(singles[i], static_cast<float>(exact)) << i;
      ASSERT_EQ(doubles[i], exact) << i;
    }
  }
}

TEST_F(creation, of_numbers_refuses_what_has_no_end) {
  EXPECT_THAT([&] { static_cast<void>(arange<float>(gpu, 0, 1, 0)); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("step")));
  EXPECT_THROW(static_cast<void>(arange<std::int32_t>(gpu, 0, 1, 0)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(arange<double>(gpu, std::nan(""))), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(arange<double>(gpu, INFINITY)), std::length_error);
  EXPECT_THROW(static_cast<void>(arange<double>(gpu, 0, 1, 1e-30)), std::length_error);
  EXPECT_THROW(static_cast<void>(arange<std::int64_t>(gpu, INT64_MIN, INT64_MAX)),
               std::length_error);
}

TEST_F(creation, is_only_enqueued) {
  opened.counts().slowed_by = std::chrono::milliseconds(5);
  const auto numbers = arange<float>(gpu, 3);
  auto array = full<float>(gpu, {3}, 2);
  EXPECT_FALSE(opened.counts().idle());
  EXPECT_THAT((numbers + array).get(), ElementsAre(2, 3, 4));
}

TEST_F(creation, by_the_stream_refuses_other_sizes) {
  const std::array<std::byte, 3> three{};
  EXPECT_THAT([&] { gpu.stream().fill(nullptr, three, 1); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("3 bytes")));
  EXPECT_THROW(gpu.stream().fill(nullptr, {}, 1), std::invalid_argument);
}

}  // namespace
}  // namespace transfers::create_test
