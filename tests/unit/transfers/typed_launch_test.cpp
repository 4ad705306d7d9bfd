// Kernels whose parameter types the compiler knows, and single values as arguments.
#include <complex>
#include <concepts>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/launch/either_kernel.hpp"
#include "transfers/launch/launch.hpp"

namespace transfers::typed_launch_test {
namespace {

using detail::accepts;
static_assert(accepts<float, float> && accepts<float*, float*> && accepts<const float*, float*> &&
              accepts<const float*, const float*>);
static_assert(!accepts<float, int> && !accepts<float, double> && !accepts<int, unsigned> &&
              !accepts<std::int64_t, int> && !accepts<bool, int>);
static_assert(!accepts<float*, const float*> && !accepts<float*, double*> &&
              !accepts<float*, int*> && !accepts<float*, void*> && !accepts<int*, unsigned*>);
static_assert(accepts<void*, float*> && accepts<const void*, const double*> &&
              !accepts<void*, const float*> && !accepts<void*, float>);

// What an argument is to a kernel.
using detail::passed_type;
static_assert(std::same_as<passed_type<gpu_array<int>&>, int*> &&
              std::same_as<passed_type<const gpu_array<int>&>, const int*> &&
              std::same_as<passed_type<device_buffer<int>&>, int*> &&
              std::same_as<passed_type<const device_buffer<int>&>, const int*> &&
              std::same_as<passed_type<device_view<const int>>, const int*> &&
              std::same_as<passed_type<host_array<int>&>, int*> &&
              std::same_as<passed_type<const host_array<int>&>, const int*> &&
              std::same_as<passed_type<float>, float>);
using marked = std::vector<int>&;
static_assert(std::same_as<passed_type<decltype(in(std::declval<marked>()))>, const int*> &&
              std::same_as<passed_type<decltype(out(std::declval<marked>()))>, int*> &&
              std::same_as<passed_type<decltype(in_out(std::declval<marked>()))>, int*>);

class a_typed_kernel : public testing::Test {
 protected:
  counting_device host;
  context gpu{host};
};

TEST_F(a_typed_kernel, that_only_reads_takes_arrays_whether_they_are_const_or_not) {
  const auto copy = host_function(
      "copy", [](const thread_index& at, const int* src, int* dst) { dst[at.x()] = src[at.x()]; });
  auto src = to_gpu(gpu, {1, 2, 3});
  const auto& read_only = src;
  auto dst = zeros<int>(gpu, {3});
  device_buffer<int> buffer(gpu, 3);
  std::vector<int> numbers(3);
  copy(gpu, {.block = {3}}, src, dst);
  copy(gpu, {.block = {3}}, read_only, buffer);
  copy(gpu, {.block = {3}}, std::as_const(buffer), out(numbers));
  EXPECT_THAT(dst.get(), ElementsAre(1, 2, 3));
  EXPECT_THAT(numbers, ElementsAre(1, 2, 3));
  copy(gpu, {.block = {2}}, read_only.view().last(2), dst.view().first(2));
  EXPECT_THAT(dst.get(), ElementsAre(2, 3, 3));
}

TEST_F(a_typed_kernel, takes_any_array_for_a_void_pointer) {
  const auto sum = host_function("sum", [](const thread_index&, const void* first, void* second) {
    *static_cast<double*>(second) += *static_cast<const float*>(first);
  });
  const auto first = to_gpu(gpu, {2.5F});
  auto second = to_gpu(gpu, {1.0});
  sum(gpu, {}, first, second);
  EXPECT_THAT(second.get(), ElementsAre(3.5));
  const function erased = sum;  // checked at run time
  erased(gpu, {}, first, second);
  EXPECT_THAT(second.get(), ElementsAre(6));
  EXPECT_THROW(erased(gpu, {}, 5.0, second), std::invalid_argument);
  EXPECT_THROW(erased(gpu, {}, first, std::as_const(second)), std::invalid_argument);
}

TEST_F(a_typed_kernel, without_its_types_checks_them_at_run_time) {
  const function scale = host_function("scale", [](const thread_index&, const float*, float*) {});
  auto array = zeros<float>(gpu, {3});
  auto doubles = zeros<double>(gpu, {3});
  scale(gpu, {}, array, array);
  scale(gpu, {}, std::as_const(array), array);
  EXPECT_THAT([&] { scale(gpu, {}, array, std::as_const(array)); },
              ThrowsMessage<invalid_argument>("argument 2 of scale has the type float*, not float "
                                              "const*"));
  EXPECT_THAT(
      [&] { scale(gpu, {}, doubles, array); },
      ThrowsMessage<invalid_argument>(AllOf(HasSubstr("argument 1"), HasSubstr("double*"))));
  EXPECT_THROW(scale(gpu, {}, array), invalid_argument);
}

TEST_F(a_typed_kernel, is_prepared_for_its_own_types_and_for_no_others) {
  const auto scale = host_function(
      "scale", [](const thread_index& at, float* data, float factor) { data[at.x()] *= factor; });
  static_assert(std::same_as<decltype(scale.prepare()), prepared_function<float*, float>>);
  auto array = to_gpu(gpu, {1.0F, 2.0F});
  scale.prepare()(gpu.stream(), {.block = {2}}, array.data(), 3);  // a parameter converts
  scale.prepare<float*, float>()(gpu.stream(), {.block = {2}}, array.data(), 2.0F);
  EXPECT_THAT(array.get(), ElementsAre(6, 12));
  EXPECT_THROW(static_cast<void>(scale.prepare<float*, int>()), invalid_argument);
  EXPECT_THROW(static_cast<void>(scale.prepare<double*, float>()), invalid_argument);
  EXPECT_THROW(static_cast<void>(scale.prepare<const float*, float>()), invalid_argument);
  EXPECT_THROW(static_cast<void>(scale.prepare<void*, float>()), invalid_argument);
  EXPECT_THROW(static_cast<void>(scale.prepare<float*>()), invalid_argument);
}

TEST_F(a_typed_kernel, of_either_device_checks_its_arguments_alike) {
  const auto kernel = either_kernel(host, "void twice(float* data) {}", "twice",
                                    [](const thread_index& at, float* data) { data[at.x()] *= 2; });
  static_assert(std::same_as<decltype(kernel), const typed_function<float*>>);
  std::vector<float> numbers{1, 2};
  kernel(gpu, {.block = {2}}, in_out(numbers));
  EXPECT_THAT(numbers, ElementsAre(2, 4));
}

TEST_F(a_typed_kernel, takes_grid_and_block_in_braces) {
  int calls = 0;
  const auto count = host_function("count", [&calls](const thread_index&, float*) { ++calls; });
  std::vector<float> numbers(4);
  count(gpu, {{1, 1}, {4, 1, 1}}, in_out(numbers));
  count(gpu, {.block = {2, 2}}, in_out(numbers));
  EXPECT_EQ(calls, 8);
}

struct pair_of_numbers {
  int first, second;
};

TEST_F(a_typed_kernel, takes_single_values_in_and_out) {
  const auto step = host_function(
      "step", [](const thread_index&, const int* by, int* count, pair_of_numbers* result) {
        *count += *by;
        *result = {*by, *count};
      });
  const int by = 5;
  int count = 1;
  pair_of_numbers result{};
  step(gpu, {}, in(by), in_out(count), out(result));
  EXPECT_EQ(count, 6);
  EXPECT_EQ(result.first, 5);
  EXPECT_EQ(result.second, 6);
  const std::complex<float> source(1, 2);
  std::complex<float> destination;
  call(
      gpu,
      [&](const std::complex<float>* src, std::complex<float>* dst) {
        gpu.stream().call([=] { *dst = *src * 2.0F; });
      },
      in(source), out(destination));
  EXPECT_EQ(destination, std::complex<float>(2, 4));
}

TEST_F(a_typed_kernel, leaves_single_values_that_only_go_in) {
  const auto change = host_function(
      "change", [](const thread_index&, const int* value, int* copy) { *copy = *value; });
  int value = 3;
  int copy = 0;
  change(gpu, {}, in(value), out(copy));
  EXPECT_EQ(value, 3);
  EXPECT_EQ(copy, 3);
}

class gpu_array_of : public testing::Test {
 protected:
  counting_device host;
  context gpu{host};
};

TEST_F(gpu_array_of, literals_has_no_character_for_their_end) {
  const auto text = to_gpu(gpu, "stuff");
  EXPECT_EQ(text.size(), 5U);
  EXPECT_THAT(text.get(), ElementsAre('s', 't', 'u', 'f', 'f'));
  EXPECT_EQ(to_gpu(gpu, U"stuff").bytes(), 20U);
  EXPECT_EQ(to_gpu(gpu, "").size(), 0U);
  const char no_end[] = {'a', 'b'};
  EXPECT_EQ(to_gpu(gpu, no_end).size(), 2U);
  EXPECT_EQ(to_gpu(gpu, std::string("stuff")).size(), 5U);
  EXPECT_EQ(to_gpu(gpu, std::string("st\0uff", 6)).size(), 6U);
  std::string back(5, ' ');
  text.get(back);
  EXPECT_EQ(back, "stuff");
}

TEST_F(gpu_array_of, lists_has_their_elements) {
  auto array = to_gpu(gpu, {1.0F, 2.0F});
  static_assert(std::same_as<decltype(array), gpu_array<float>>);
  EXPECT_THAT(array.get(), ElementsAre(1, 2));
  array.set({3, 4});
  EXPECT_THAT(array.get(), ElementsAre(3, 4));
  EXPECT_THROW(array.set({3}), length_error);
  EXPECT_THAT(to_gpu(gpu, {1, 2, 3, 4}).reshape({2, 2}).get()(1, 0), 3);
}

TEST_F(gpu_array_of, another_shape_has_the_same_elements) {
  auto array = to_gpu(gpu, {1, 2, 3, 4, 5, 6});
  const auto* const address = array.data();
  EXPECT_EQ(&array.reshape({2, 3}), &array);
  EXPECT_EQ(array.get()(1, 0), 4);
  EXPECT_EQ(array.data(), address);
  EXPECT_THROW(static_cast<void>(array.reshape({4})), length_error);
  EXPECT_EQ(array.shape(), shape({2, 3}));
  const auto moved = std::move(array).reshape({3, 2});
  EXPECT_EQ(moved.data(), address);
  EXPECT_EQ(moved.get()(1, 0), 3);
}

}  // namespace
}  // namespace transfers::typed_launch_test
