
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/array/gpu_array.hpp"
#include "transfers/core/error.hpp"
#include "transfers/launch/launch.hpp"

namespace transfers::host_array_test {
namespace {

TEST(host_arrays, are_made_from_data_in_their_order) {
  const host_array<float> rows({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(rows(0, 2), 3);
  EXPECT_EQ(rows(1, 0), 4);
  const std::vector<float> numbers{1, 2, 3, 4, 5, 6};
  const host_array<float> columns({2, 3}, numbers, order::column_major);
  EXPECT_EQ(columns(0, 2), 5);
  EXPECT_EQ(columns(1, 0), 2);
  const host_array<char> text({5}, std::string("stuff"));
  EXPECT_EQ(text[4], 'f');
  EXPECT_EQ(host_array<int>({}, {5})(), 5);
  EXPECT_EQ(host_array<int>({0}, std::vector<int>()).size(), 0U);
}

TEST(host_arrays, are_equal_if_their_shapes_and_elements_are) {
  const host_array<int> rows({2, 3}, {1, 2, 3, 4, 5, 6});
  const host_array<int> same({2, 3}, {1, 2, 3, 4, 5, 6});
  const host_array<int> columns({2, 3}, {1, 4, 2, 5, 3, 6}, order::column_major);
  EXPECT_EQ(rows, same);
  EXPECT_EQ(rows, columns);
  EXPECT_EQ(columns, rows);
  const host_array<int> other_columns({2, 3}, {1, 2, 3, 4, 5, 6}, order::column_major);
  EXPECT_NE(rows, other_columns);
  EXPECT_NE(rows, host_array<int>({2, 3}, {1, 2, 3, 4, 5, 7}));
  EXPECT_NE(rows, host_array<int>({3, 2}, {1, 2, 3, 4, 5, 6}));
  EXPECT_NE(rows, host_array<int>({6}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(host_array<int>({2, 0}), host_array<int>({2, 0}, order::column_major));
  EXPECT_EQ(host_array<int>({3}, {1, 2, 3}), host_array<int>({3}, {1, 2, 3}, order::column_major));
  // As for floating-point numbers.
  EXPECT_NE(host_array<float>({1}, {NAN}), host_array<float>({1}, {NAN}));
  EXPECT_EQ(host_array<float>({1}, {0.0F}), host_array<float>({1}, {-0.0F}));
}

TEST(host_arrays, of_three_indices_are_equal_whatever_their_orders) {
  host_array<int> rows({2, 3, 4});
  host_array<int> columns({2, 3, 4}, order::column_major);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k) rows(i, j, k) = columns(i, j, k) = 100 * i + 10 * j + k;
  EXPECT_EQ(rows, columns);
  columns(1, 2, 3) = 0;
  EXPECT_NE(rows, columns);
}

TEST(host_arrays, are_copied_into_memory_of_their_own) {
  host_array<int> original({2, 2}, {1, 2, 3, 4}, order::column_major);
  auto copy = original.copy();
  EXPECT_EQ(copy, original);
  EXPECT_EQ(copy.order(), order::column_major);
  EXPECT_NE(copy.data(), original.data());
  copy(0, 1) = 7;
  EXPECT_EQ(original(0, 1), 3);
}

TEST(host_arrays, change_their_shape_and_keep_their_elements) {
  host_array<int> array({6}, {1, 2, 3, 4, 5, 6});
  const auto* const address = array.data();
  EXPECT_EQ(&array.reshape({2, 3}), &array);
  EXPECT_EQ(array(1, 0), 4);
  EXPECT_EQ(array.reshape({3, 2})(1, 0), 3);
  EXPECT_EQ(array.data(), address);
  const auto moved = std::move(array).reshape({1, 6});
  EXPECT_EQ(moved.data(), address);
  EXPECT_EQ(moved(0, 5), 6);
  host_array<int> columns({2, 3}, {1, 2, 3, 4, 5, 6}, order::column_major);
  EXPECT_EQ(columns.reshape({3, 2})(0, 1), 4);  // in the order of the memory
  EXPECT_THROW(static_cast<void>(columns.reshape({7})), length_error);
  EXPECT_EQ(columns.shape(), shape({3, 2}));
}

TEST(host_arrays, take_extents_of_any_integer_type) {
  const int rows = 2;
  const std::int64_t columns = 3;
  const unsigned short slices = 4;
  EXPECT_EQ(host_array<float>({rows, columns, slices}).shape(), shape({2, 3, 4}));
  EXPECT_EQ(host_array<float>({rows}).size(), 2U);
  static_assert(!std::convertible_to<double, shape::extent> &&
                !std::convertible_to<bool, shape::extent>);
  const auto host = open_host_device();
  const context gpu(*host);
  EXPECT_EQ(zeros<float>(gpu, {rows, columns}).bytes(), 24U);
  EXPECT_THROW(static_cast<void>(shape({INT64_MIN})), invalid_argument);
}

/// Page-locked memory may be refused to this process.
class page_locked_arrays : public testing::Test {
 protected:
  void SetUp() override {
    try {
      static_cast<void>(host.allocate_host(1, pinned()));
    } catch (const out_of_memory& refused) {
      GTEST_SKIP() << refused.what();
    }
  }

  counting_device host;
  context gpu{host};
};

TEST_F(page_locked_arrays, may_have_the_shape_of_a_vector) {
  const std::vector<double> numbers(7);
  const auto alike = pinned_empty_like(host, numbers);
  static_assert(std::same_as<decltype(alike), const host_array<double>>);
  EXPECT_EQ(alike.shape(), shape({7}));
  EXPECT_EQ(alike.kind(), pinned());
  EXPECT_THAT(pinned_zeros_like(host, std::array<int, 3>{1, 2, 3}, pin_flags::mapped), Each(0));
  EXPECT_EQ(pinned_zeros_like(host, std::array<int, 3>{}, pin_flags::mapped).kind(),
            pinned(pin_flags::mapped));
}

TEST_F(page_locked_arrays, are_arguments_of_kernels_that_access_them_in_place) {
  const auto square =
      host_function("square", [](const thread_index& at, const float* src, float* dst) {
        dst[at.x()] = src[at.x()] * src[at.x()];
      });
  auto src = pinned_zeros<float>(host, {3}, pin_flags::mapped);
  host_buffer<float> dst(host, 3, registered);
  for (int i = 0; i < 3; ++i) src(i) = static_cast<float>(i + 1);
  const auto allocations = host.counts().device_allocations.load();
  square(gpu, {.block = {3}}, src, dst);
  EXPECT_THAT(dst, ElementsAre(1, 4, 9));
  square(gpu, {.block = {3}}, src.on_device(), dst.on_device());
  square.prepare()(gpu.stream(), {.block = {3}}, dst.on_device().data(), src.on_device().data());
  gpu.synchronize();
  EXPECT_THAT(src, ElementsAre(1, 16, 81));
  EXPECT_EQ(host.counts().device_allocations, allocations);
  static_assert(std::same_as<decltype(std::as_const(src).on_device()), device_view<const float>>);
  EXPECT_EQ(src.on_device().size(), 3U);
}

TEST_F(page_locked_arrays, may_be_aligned_and_are_addressed_behind_the_padding) {
  host_buffer<char> buffer(host, 10, pinned(), std::size_t{1} << 21);
  EXPECT_EQ(
      buffer.on_device().data(),
      reinterpret_cast<char*>(host.address_on_device(reinterpret_cast<std::byte*>(buffer.data()))));
}

TEST_F(page_locked_arrays, come_from_a_pool_when_they_are_got_asynchronously) {
  const auto array = to_gpu(gpu, {1, 2, 3, 4}).reshape({2, 2});
  host.counts().slowed_by = std::chrono::milliseconds(2);
  const auto first = array.get_async();
  const auto second = array.get_async();
  EXPECT_FALSE(host.counts().idle());
  gpu.synchronize();
  EXPECT_EQ(first, second);
  EXPECT_EQ(first.shape(), shape({2, 2}));
  EXPECT_THAT(first, ElementsAre(1, 2, 3, 4));
  EXPECT_TRUE(is_page_locked(first.kind()));
  EXPECT_NE(first.data(), second.data());
  EXPECT_EQ(zeros<int>(gpu, {0}).get_async().size(), 0U);
}

}  // namespace
}  // namespace transfers::host_array_test
