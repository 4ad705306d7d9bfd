#include "transfers/array/gpu_array.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/transfers/allocation_name.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "tests/unit/transfers/test_bytes.hpp"

namespace transfers::gpu_array_test {
namespace {

template <class T>
constexpr bool owns = !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T> &&
                      std::is_nothrow_move_constructible_v<T> &&
                      std::is_nothrow_move_assignable_v<T> && std::is_nothrow_destructible_v<T>;
static_assert(owns<gpu_array<float>> && owns<gpu_array<std::array<char, 7>>>);
static_assert(owns<host_array<float>>);
static_assert(std::is_copy_constructible_v<context> && std::is_nothrow_destructible_v<context> &&
              std::is_nothrow_move_constructible_v<context>);
static_assert(!std::is_default_constructible_v<gpu_array<int>>);
static_assert(!std::ranges::range<gpu_array<int>>);  // its elements are not on the host
static_assert(std::ranges::contiguous_range<host_array<int>>);

template <class A, class U>
concept converts_to = requires(const A& array) {
  array.template astype<U>();
};
static_assert(converts_to<gpu_array<int>, double> && !converts_to<gpu_array<char>, double> &&
              !converts_to<gpu_array<int>, char>);

struct seven_bytes {
  char bytes[7];
};

class a_gpu_array : public testing::TestWithParam<allocation> {
 protected:
  counting_device host;
  context gpu{host, GetParam()};
};

TEST_P(a_gpu_array, has_a_shape_an_order_and_a_context) {
  const gpu_array<float> array(gpu, {2, 3}, order::column_major);
  EXPECT_EQ(array.shape(), shape({2, 3}));
  EXPECT_EQ(array.order(), order::column_major);
  EXPECT_EQ(array.size(), 6U);
  EXPECT_EQ(array.bytes(), 24U);
  EXPECT_EQ(array.context(), gpu);
  EXPECT_NE(array.data(), nullptr);
  const auto alike = empty_like(array);
  EXPECT_EQ(alike.shape(), array.shape());
  EXPECT_EQ(alike.order(), array.order());
  EXPECT_EQ(alike.context(), gpu);
  EXPECT_NE(alike.data(), array.data());
  EXPECT_EQ(empty<double>(gpu, {4}).bytes(), 32U);
  EXPECT_EQ(empty<double>(gpu, {}).size(), 1U);
}

TEST_P(a_gpu_array, of_zeros_is_zero_whatever_was_there) {
  for (int i = 0; i < 3; ++i) {
    auto used = empty<float>(gpu, {3, 5});
    used.set(std::vector<float>(15, 7));
  }
  EXPECT_THAT(zeros<float>(gpu, {3, 5}).get(), Each(0.0F));
  auto array = to_gpu(gpu, std::vector<float>(15, 7), {3, 5}, order::column_major);
  const auto alike = zeros_like(array);
  EXPECT_THAT(alike.get(), Each(0.0F));
  EXPECT_EQ(alike.order(), order::column_major);
  array.clear();
  EXPECT_THAT(array.get(), Each(0.0F));
}

TEST_P(a_gpu_array, is_made_from_any_contiguous_range) {
  EXPECT_THAT(to_gpu(gpu, std::vector{1, 2, 3}).get(), ElementsAre(1, 2, 3));
  EXPECT_THAT(to_gpu(gpu, std::array{1.5, 2.5}).get(), ElementsAre(1.5, 2.5));
  const int plain[] = {4, 5};
  EXPECT_THAT(to_gpu(gpu, plain).get(), ElementsAre(4, 5));
  const std::vector<float> values{1, 2, 3, 4};
  EXPECT_THAT(to_gpu(gpu, std::span(values).subspan(1, 2)).get(), ElementsAre(2, 3));
  EXPECT_THAT(to_gpu(gpu, std::string("abc")).get(), ElementsAre('a', 'b', 'c'));
  EXPECT_EQ(to_gpu(gpu, values).shape(), shape({4}));
  host_buffer<int> buffer(2);
  buffer[0] = 8, buffer[1] = 9;
  EXPECT_THAT(to_gpu(gpu, buffer).get(), ElementsAre(8, 9));
}

TEST_P(a_gpu_array, is_made_with_a_shape_that_fits_the_range) {
  const std::vector<int> source{1, 2, 3, 4, 5, 6};
  const auto array = to_gpu(gpu, source, {2, 3}, order::column_major);
  EXPECT_EQ(array.shape(), shape({2, 3}));
  EXPECT_EQ(array.order(), order::column_major);
  EXPECT_THAT(array.get(), ElementsAreArray(source));  // already in that order
  EXPECT_EQ(array.get()(1, 2), 6);
  EXPECT_EQ(array.get()(1, 0), 2);
  const auto allocations = host.counts().device_allocations.load();
  EXPECT_THROW(static_cast<void>(to_gpu(gpu, source, {2, 4})), length_error);
  EXPECT_EQ(host.counts().device_allocations, allocations);
}

TEST_P(a_gpu_array, keeps_the_shape_and_order_of_host_arrays) {
  host_array<int> source({2, 3}, order::column_major);
  std::iota(source.begin(), source.end(), 0);
  const auto array = to_gpu(gpu, source);
  EXPECT_EQ(array.shape(), shape({2, 3}));
  EXPECT_EQ(array.order(), order::column_major);
  EXPECT_THAT(array.get(), ElementsAre(0, 1, 2, 3, 4, 5));
  const auto enqueued = to_gpu_async(gpu, source);  // "the same, only enqueued"
  gpu.synchronize();
  EXPECT_EQ(enqueued.shape(), shape({2, 3}));
  EXPECT_EQ(enqueued.order(), order::column_major);
}

TEST_P(a_gpu_array, has_arrived_when_it_has_been_made_or_set_or_got) {
  host.counts().slowed_by = std::chrono::milliseconds(2);
  const std::vector<int> source{1, 2, 3};
  auto array = to_gpu(gpu, source);
  EXPECT_TRUE(host.counts().idle());
  array.set(std::vector{4, 5, 6});
  EXPECT_TRUE(host.counts().idle());
  std::vector<int> back(3);
  array.get(back);
  EXPECT_THAT(back, ElementsAre(4, 5, 6));
}

TEST_P(a_gpu_array, works_asynchronously_in_the_streams_order) {
  host.counts().slowed_by = std::chrono::milliseconds(2);
  const std::vector<int> source{1, 2, 3};
  const std::vector<int> new_source{4, 5, 6};
  std::vector<int> first(3);
  std::vector<int> second(3);
  std::vector<int> third(3);
  auto array = to_gpu_async(gpu, source);
  EXPECT_FALSE(host.counts().idle());
  array.get_async(first);
  array.clear();
  array.get_async(second);
  array.set_async(new_source);
  array.get_async(third);
  gpu.synchronize();
  EXPECT_THAT(first, ElementsAre(1, 2, 3));
  EXPECT_THAT(second, Each(0));
  EXPECT_THAT(third, ElementsAre(4, 5, 6));
}

TEST_P(a_gpu_array, of_nothing_has_no_memory_and_does_nothing) {
  for (const shape& extents : {shape{0}, shape{3, 0}, shape{0, SIZE_MAX}}) {
    gpu_array<int> none(gpu, extents);
    EXPECT_EQ(none.data(), nullptr);
    EXPECT_EQ(none.bytes(), 0U);
    none.clear();
    none.set(std::span<const int>());
    none.set_async(std::span<const int>());
    std::vector<int> destination;
    none.get(destination);
    none.get_async(destination);
    EXPECT_EQ(none.get().size(), 0U);
    EXPECT_EQ(none.get(pageable).shape(), extents);
    EXPECT_EQ(none.astype<double>().shape(), extents);
    EXPECT_EQ(zeros_like(none).size(), 0U);
  }
  EXPECT_THAT(to_gpu(gpu, std::vector<float>()).get(), SizeIs(0));
  EXPECT_THAT(to_gpu(gpu, std::string(), {0, 7}).get(), SizeIs(0));
  const std::vector<float> nothing;
  EXPECT_THAT(to_gpu_async(gpu, nothing).get(), SizeIs(0));
  EXPECT_EQ(to_gpu_as<float>(gpu, std::vector<double>(), convert_on::host).size(), 0U);
  EXPECT_EQ(to_gpu_as<float>(gpu, std::vector<double>(), convert_on::device).size(), 0U);
  EXPECT_EQ(host.counts().enqueued, 0U);
  EXPECT_TRUE(host.counts().nothing_allocated());
}

TEST_P(a_gpu_array, of_rank_zero_has_one_element) {
  const auto array = to_gpu(gpu, std::vector{5}, {});
  EXPECT_EQ(array.shape().rank(), 0U);
  EXPECT_EQ(array.get()(), 5);
}

TEST_P(a_gpu_array, of_absurd_size_is_refused) {
  const auto large = std::size_t{1} << 31;
  EXPECT_THROW(gpu_array<double>(gpu, {large, large}), std::length_error);
  EXPECT_THROW((gpu_array<std::array<char, 7>>(gpu, {PTRDIFF_MAX / 7 + 1})), std::length_error);
  EXPECT_THROW(gpu_array<char>(gpu, {large, large}), out_of_memory);
  EXPECT_THROW(gpu_array<double>(gpu, {1U << 24, 1U << 24}), out_of_memory);
  EXPECT_THROW(host_array<double>({large, large}), std::length_error);
  EXPECT_THROW(host_array<double>(host, {large, large}, pageable), std::length_error);
  EXPECT_THROW(static_cast<void>(pinned_zeros<double>(host, {large, large})), std::length_error);
  EXPECT_TRUE(host.counts().nothing_allocated());
}

TEST_P(a_gpu_array, comes_back_in_new_memory_of_a_kind) {
  const auto array = to_gpu(gpu, std::vector{1, 2, 3, 4, 5, 6}, {2, 3}, order::column_major);
  {
    const auto ordinary = array.get();
    EXPECT_EQ(ordinary.kind(), pageable);
    EXPECT_EQ(ordinary.shape(), shape({2, 3}));
    EXPECT_EQ(ordinary.order(), order::column_major);
    EXPECT_EQ(host.counts().host_bytes, 0U);
  }
  try {
    const auto locked = array.get(pinned());
    EXPECT_EQ(locked.kind(), pinned());
    EXPECT_EQ(locked.order(), order::column_major);
    EXPECT_THAT(locked, ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_EQ(host.counts().host_bytes, 24U);
  } catch (const out_of_memory& refused) {
    GTEST_SKIP() << refused.what();
  }
  EXPECT_EQ(host.counts().host_bytes, 0U);
  EXPECT_THROW(static_cast<void>(array.get(pinned(pin_flags::write_combined))), unsupported);
}

TEST_P(a_gpu_array, moves_with_its_memory) {
  std::optional<gpu_array<int>> moved;
  {
    const context another(host, GetParam());
    auto array = to_gpu(another, std::vector{1, 2, 3});
    const auto* const where = array.data();
    moved = std::move(array);
    EXPECT_EQ(moved->data(), where);
  }
  EXPECT_THAT(moved->get(), ElementsAre(1, 2, 3));
  *moved = to_gpu(gpu, std::vector{4});
  EXPECT_THAT(moved->get(), ElementsAre(4));
  EXPECT_EQ(moved->shape(), shape({1}));
  moved.reset();
  gpu = context(host, allocation::plain);  // the last one with the pool ends
  EXPECT_TRUE(host.counts().nothing_allocated());
}

TEST_P(a_gpu_array, is_converted_while_it_goes_to_the_device) {
  std::vector<double> source(600'001);  // more than one core's worth
  std::mt19937_64 random(3);
  for (auto& value : source) value = static_cast<double>(random() % 1'000'000) / 7 - 50'000;
  const std::vector<float> floats(source.begin(), source.end());
  std::vector<std::int32_t> integers(source.size());
  std::ranges::transform(source, integers.begin(),
                         [](double value) { return static_cast<std::int32_t>(value); });
  for (const auto where : {convert_on::device, convert_on::host}) {
    try {
      EXPECT_TRUE(std::ranges::equal(to_gpu_as<float>(gpu, source, where).get(), floats));
      EXPECT_TRUE(std::ranges::equal(to_gpu_as<std::int32_t>(gpu, source, where).get(), integers));
      EXPECT_TRUE(std::ranges::equal(to_gpu_as<double>(gpu, source, where).get(), source));
    } catch (const out_of_memory& refused) {
      GTEST_SKIP() << refused.what();
    }
  }
}

TEST_P(a_gpu_array, leaves_nothing_behind_when_something_fails) {
  const std::vector<double> source(1000, 2);
  for (const auto kind : {failure::allocation, failure::operation}) {
    const auto failures = fail_each(kind, [&](counting_device& failing) {
      bool succeeded = true;
      {
        const context failing_gpu(failing, GetParam());
        std::vector<double> destination(1000);
        try {
          const auto array = to_gpu(failing_gpu, source);
          array.get(destination);
          static_cast<void>(array.get());
          static_cast<void>(array.get(pageable));
          static_cast<void>(array.astype<float>());
          static_cast<void>(zeros<char>(failing_gpu, {100}));
          static_cast<void>(to_gpu_as<float>(failing_gpu, source, convert_on::host));
          static_cast<void>(to_gpu_as<float>(failing_gpu, source, convert_on::device));
        } catch (const error&) {
          succeeded = false;
        }
        failing_gpu.synchronize();
      }
      EXPECT_TRUE(failing.counts().nothing_allocated());
      // A pool that could release memory has tried again.
      const auto& counts = failing.counts();
      return succeeded &&
             (counts.failing_allocation == 0 ||
              counts.failing_allocation > counts.device_allocations + counts.host_allocations);
    });
    EXPECT_GE(failures, kind == failure::allocation ? 3U : 10U);
  }
}

INSTANTIATE_TEST_SUITE_P(all, a_gpu_array, testing::Values(allocation::plain, allocation::pooled),
                         allocation_name);

/// Arrays of ranks 0 to 5 with all types and orders, to the device and back.
template <class T>
class typed_gpu_arrays : public testing::Test {};
using element_types =
    testing::Types<char, std::int32_t, float, double, seven_bytes, std::array<char, 7>,
                   std::array<std::uint64_t, 2>, std::array<std::byte, 3>>;
TYPED_TEST_SUITE(typed_gpu_arrays, element_types);

TYPED_TEST(typed_gpu_arrays, of_random_shapes_come_back_bit_exactly) {
  const auto host = open_host_device();
  const context gpu(*host);
  std::mt19937_64 random(17);
  for (int i = 0; i < 200; ++i) {
    std::vector<std::size_t> extents(random() % 6);
    for (auto& extent : extents) extent = random() % 15 == 0 ? 0 : 1 + random() % 7;
    const transfers::shape shape(extents);
    const auto order = random() % 2 ? order::row_major : order::column_major;
    std::vector<TypeParam> source(shape.elements());
    for (auto& byte : std::as_writable_bytes(std::span(source)))
      byte = static_cast<std::byte>(random());
    const auto back = to_gpu(gpu, source, shape, order).get();
    ASSERT_EQ(back.size(), source.size());
    EXPECT_EQ(back.shape(), shape);
    if (!source.empty()) {
      EXPECT_EQ(std::memcmp(back.data(), source.data(), source.size() * sizeof(TypeParam)), 0);
    }
  }
}

TEST(a_host_array, is_indexed_in_its_order) {
  host_array<int> rows({2, 3});
  host_array<int> columns({2, 3}, order::column_major);
  std::iota(rows.begin(), rows.end(), 0);
  std::iota(columns.begin(), columns.end(), 0);
  EXPECT_EQ(rows(1, 0), 3);
  EXPECT_EQ(rows(0, 2), 2);
  EXPECT_EQ(columns(1, 0), 1);
  EXPECT_EQ(columns(0, 2), 4);
  rows(1, 2) = 50;
  EXPECT_EQ(rows[5], 50);
  EXPECT_EQ(rows.size(), 6U);
}

TEST(a_host_array, of_pinned_memory_looks_like_another_one) {
  const auto host = open_host_device();
  const context gpu(*host);
  try {
    const auto zeroed = pinned_zeros<float>(*host, {3, 4}, pin_flags::mapped, order::column_major);
    EXPECT_EQ(zeroed.kind(), pinned(pin_flags::mapped));
    EXPECT_THAT(zeroed, Each(0.0F));
    const auto array = to_gpu(gpu, zeroed);
    const auto alike = pinned_empty_like(*host, array);
    static_assert(std::is_same_v<decltype(alike), const host_array<float>>);
    EXPECT_EQ(alike.shape(), shape({3, 4}));
    EXPECT_EQ(alike.order(), order::column_major);
    EXPECT_EQ(alike.kind(), pinned());
    EXPECT_THAT(pinned_zeros_like(*host, alike), Each(0.0F));
    EXPECT_EQ(pinned_empty<int>(*host, {0}).data(), nullptr);
    EXPECT_EQ(pinned_zeros<int>(*host, {0}).size(), 0U);
  } catch (const out_of_memory& refused) {
    GTEST_SKIP() << refused.what();
  }
  EXPECT_THROW(static_cast<void>(pinned_empty<int>(*host, {3}, pin_flags::portable)), unsupported);
}

TEST(a_context, equals_its_copies_and_no_other_context) {
  counting_device host;
  const context first(host);
  const auto copy = first;  // NOLINT(performance-unnecessary-copy-initialization)
  const context second(host);
  EXPECT_EQ(first, copy);
  EXPECT_NE(first, second);
  EXPECT_EQ(&first.stream(), &copy.stream());
  EXPECT_NE(&first.stream(), &second.stream());
  EXPECT_EQ(&first.device(), &host);
}

TEST(a_context, may_use_an_existing_stream) {
  counting_device host;
  const auto stream = host.create_stream();
  {
    const context gpu(host, *stream);
    EXPECT_EQ(&gpu.stream(), stream.get());
    EXPECT_THAT(to_gpu(gpu, std::vector{1, 2}).get(), ElementsAre(1, 2));
  }
  EXPECT_TRUE(host.counts().nothing_allocated());
  stream->synchronize();
}

TEST(a_context, takes_memory_from_its_pool_or_from_the_device) {
  for (const auto kind : {allocation::plain, allocation::pooled}) {
    counting_device host;
    const context gpu(host, kind);
    for (int i = 0; i < 3; ++i) static_cast<void>(gpu.allocate(1 << 20));
    const bool plain = kind == allocation::plain;
    EXPECT_EQ(host.counts().device_allocations, plain ? 3U : 1U);
    EXPECT_EQ(host.counts().device_blocks, plain ? 0U : 1U);
    EXPECT_THROW(static_cast<void>(gpu.allocate(0)), std::invalid_argument);
    EXPECT_THROW(static_cast<void>(gpu.allocate_staging(0)), std::invalid_argument);
  }
}

TEST(a_context, by_default_is_of_a_gpu_or_of_the_host) {
  EXPECT_EQ(open_default_device()->description().kind, find_cuda().devices > 0 ? "cuda" : "host");
}

std::size_t available_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("MemAvailable:")) return std::stoull(line.substr(13)) * 1024;
  return 0;
}

TEST(a_large_gpu_array, has_more_bytes_than_a_signed_integer_counts) {
  if (available_memory() < std::size_t{8} << 30) GTEST_SKIP() << "less than 8 GiB of memory free";
  counting_device host;
  const context gpu(host);
  // Huge pages take a fraction of the time to allocate.
  host.counts().in_huge_pages = !host.why_unsupported(pageable_huge);
  constexpr std::size_t edge = std::size_t{1} << 31;
  const test_bytes sent(17);
  for (const std::size_t bytes : {edge - 1, edge + 4099}) {
    host_array<char> source({bytes});
    const auto memory = std::as_writable_bytes(std::span(source.data(), bytes));
    sent.write_to(memory);
    const auto array = to_gpu(gpu, source);
    EXPECT_EQ(array.bytes(), bytes);
    // Check every byte on both sides; the memory of the host device is the host's.
    EXPECT_TRUE(sent.are_in(std::as_bytes(std::span(array.data(), bytes))));
    test_bytes(18).write_to(memory);
    array.get(source);
    EXPECT_TRUE(sent.are_in(memory)) << bytes;
  }
}

TEST(a_large_strided_view, reaches_beyond_what_a_signed_integer_counts) {
  if (available_memory() < std::size_t{8} << 30) GTEST_SKIP() << "less than 8 GiB of memory free";
  counting_device host;
  const context gpu(host);
  host.counts().in_huge_pages = !host.why_unsupported(pageable_huge);
  // With this pitch, the last row and the array cross 2³¹ bytes.
  constexpr std::size_t row = (std::size_t{1} << 30) / 3 * 2 + 7, pitch = row + 61, rows = 3;
  static_assert(row * rows > std::size_t{1} << 31);
  const test_bytes sent(23);
  const test_bytes before(24);
  host_array<char> memory({pitch * rows});
  const auto bytes = std::as_writable_bytes(std::span(memory.data(), memory.size()));
  sent.write_to(bytes);
  const strided_view<char> view(std::span(memory.data(), memory.size()), {rows, row},
                                {static_cast<std::ptrdiff_t>(pitch), 1});
  for (const auto route : {strided_route::pitched, strided_route::packed}) {
    gpu_array<char> array(gpu, {rows, row});
    array.set(view, route);
    before.write_to(bytes);
    array.get(view, route);
    for (std::size_t i = 0; i < rows; ++i) EXPECT_TRUE(sent.are_in(bytes, i * pitch, row)) << i;
    // The bytes between the rows are unchanged.
    for (std::size_t i = 0; i < rows; ++i)
      EXPECT_TRUE(before.are_in(bytes, i * pitch + row, pitch - row)) << i;
    sent.write_to(bytes);
  }
}

}  // namespace
}  // namespace transfers::gpu_array_test
