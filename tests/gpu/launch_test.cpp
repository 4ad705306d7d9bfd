#include "transfers/launch/launch.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/basics.hpp"
#include "tests/gpu/kernels_for_tests.hpp"
#include "tests/gpu/on_gpu.hpp"
#include "tests/unit/common/complaint.hpp"
#include "transfers/array/buffer.hpp"
#include "transfers/core/context.hpp"
#include "transfers/core/device.hpp"
#include "transfers/core/error.hpp"
#include "transfers/launch/arguments.hpp"
#include "transfers/launch/source_module.hpp"

namespace transfers::launch_test {
namespace {

class launch_test : public on_gpu {
 protected:
  void set_up() override { gpu_context.emplace(*gpu); }

  /// Calls scale(float*, float, unsigned) and checks its result.
  void expect_scales(const function& scale) const {
    std::vector<float> data{1, 2, 3, 4};
    scale(*gpu_context, {.grid = {2}, .block = {2}}, in_out(data), 3.0F, 4U);
    EXPECT_THAT(data, ElementsAre(3, 6, 9, 12));
  }

  std::optional<context> gpu_context;
};

/// Kernels from source text.
class source_module_test : public launch_test {
 protected:
  void SetUp() override {
    if (const auto reason = why_no_compiler()) GTEST_SKIP() << *reason;
    launch_test::SetUp();
  }
};

using bench_transfers::common::complaint_of;

constexpr const char* scale_source =
    "__global__ void scale(float* data, float by, unsigned elements) {\n"
    "  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < elements) data[i] *= by;\n"
    "}\n";

TEST_F(launch_test, a_kernel_of_this_program_runs) {
  const auto scale = cuda_function("scale", scale_kernel());
  EXPECT_EQ(scale.name(), "scale");
  expect_scales(scale);
}

TEST_F(launch_test, the_number_of_arguments_is_checked) {
  const auto scale = cuda_function("scale", scale_kernel());
  std::vector<float> data{1};
  EXPECT_THAT(
      complaint_of<std::invalid_argument>([&] { scale(*gpu_context, {}, in_out(data), 2.0F); }),
      HasSubstr("scale"));
  EXPECT_THAT(complaint_of<std::invalid_argument>([&] { scale(*gpu_context, {}); }),
              HasSubstr("scale"));
  EXPECT_THAT(complaint_of<std::invalid_argument>(
                  [&] { scale(*gpu_context, {}, in_out(data), 2.0F, 1U, 1U); }),
              HasSubstr("scale"));
  EXPECT_THAT(data, ElementsAre(1));
}

TEST_F(launch_test, the_sizes_of_arguments_are_checked) {
  const auto scale = cuda_function("scale", scale_kernel());
  std::vector<float> data{1};
  EXPECT_THAT(
      complaint_of<std::invalid_argument>([&] { scale(*gpu_context, {}, in_out(data), 2.0, 1U); }),
      AllOf(HasSubstr("scale"), HasSubstr("argument 2"), HasSubstr("8")));
  EXPECT_THAT(data, ElementsAre(1));
}

TEST_F(launch_test, a_prepared_function_takes_its_arguments_as_they_are) {
  const auto scale = cuda_function("scale", scale_kernel()).prepare<float*, float, unsigned>();
  const std::vector<float> before{1, 2, 3};
  device_buffer<float> data(*gpu_context, before.size());
  data.copy_from(before);
  scale(gpu_context->stream(), {.grid = {1}, .block = {3}}, data.data(), 2.0F, 3U);
  scale(gpu_context->stream(), {.grid = {1}, .block = {3}}, data.data(), 5.0F, 1U);
  std::vector<float> after(before.size());
  data.copy_to(after);
  EXPECT_THAT(after, ElementsAre(10, 4, 6));
}

TEST_F(launch_test, a_function_is_not_prepared_for_other_parameters) {
  const auto scale = cuda_function("scale", scale_kernel());
  EXPECT_THAT(complaint_of<std::invalid_argument>(
                  [&] { static_cast<void>(scale.prepare<float*, float>()); }),
              HasSubstr("scale"));
  EXPECT_THAT(complaint_of<std::invalid_argument>(
                  [&] { static_cast<void>(scale.prepare<float*, double, unsigned>()); }),
              HasSubstr("scale"));
}

TEST_F(launch_test, a_null_kernel_is_refused) {
  EXPECT_THAT(complaint_of<std::invalid_argument>(
                  [] { static_cast<void>(cuda_function("nothing", nullptr)); }),
              HasSubstr("nothing"));
}

TEST_F(launch_test, the_host_device_cannot_run_a_kernel) {
  const auto scale = cuda_function("scale", scale_kernel());
  const auto host = open_host_device();
  const context on_host(*host);
  std::vector<float> data{1};
  EXPECT_THAT(
      complaint_of<std::invalid_argument>([&] { scale(on_host, {}, in_out(data), 2.0F, 1U); }),
      HasSubstr("scale is a CUDA kernel"));
}

TEST_F(launch_test, an_impossible_launch_is_an_error_and_the_device_remains_usable) {
  const auto scale = cuda_function("scale", scale_kernel());
  std::vector<float> data{1};
  const auto failure = bench_transfers::common::thrown_by<device_error>(
      [&] { scale(*gpu_context, {.shared_bytes = 1 << 30}, in_out(data), 2.0F, 1U); });
  ASSERT_TRUE(failure) << "launched with a GiB of shared memory";
  EXPECT_THAT(failure->what(), AllOf(HasSubstr("launch of scale"), Not(HasSubstr("\n"))));
  EXPECT_FALSE(failure->device_lost());

  EXPECT_THAT(complaint_of<std::invalid_argument>([&] {
                scale(*gpu_context, {.grid = {1}, .block = {2000}}, in_out(data), 2.0F, 1U);
              }),
              HasSubstr("scale"));
  expect_scales(scale);
}

TEST_F(source_module_test, doublify_doubles_a_matrix) {
  const source_module module(*gpu,
                             "__global__ void doublify(float* a) {\n"
                             "  const int i = threadIdx.x + threadIdx.y * 4;\n"
                             "  a[i] *= 2;\n"
                             "}\n");
  std::array<float, 16> a{};
  std::iota(a.begin(), a.end(), 0.5F);
  auto expected = a;
  for (auto& element : expected) element *= 2;
  const auto doublify = module.get_function("doublify");
  EXPECT_EQ(doublify.name(), "doublify");
  doublify(*gpu_context, {.grid = {1}, .block = {4, 4}}, in_out(a));
  EXPECT_EQ(a, expected);
}

TEST_F(source_module_test, parameters_are_checked_as_for_any_kernel) {
  const auto scale = source_module(*gpu, scale_source).get_function("scale");
  std::vector<float> data{1};
  EXPECT_THAT(complaint_of<std::invalid_argument>([&] { scale(*gpu_context, {}, in_out(data)); }),
              HasSubstr("scale"));
  EXPECT_THAT(
      complaint_of<std::invalid_argument>([&] { scale(*gpu_context, {}, in_out(data), 2.0, 1U); }),
      AllOf(HasSubstr("scale"), HasSubstr("argument 2")));
}

TEST_F(source_module_test, get_function_prepares) {
  const source_module module(*gpu, scale_source);
  const auto scale = module.get_function<float*, float, unsigned>("scale");
  const std::vector<float> before{1, 2};
  device_buffer<float> data(*gpu_context, before.size());
  data.copy_from(before);
  scale(gpu_context->stream(), {.grid = {1}, .block = {2}}, data.data(), 2.0F, 2U);
  std::vector<float> after(before.size());
  data.copy_to(after);
  EXPECT_THAT(after, ElementsAre(2, 4));
  EXPECT_THAT(complaint_of<std::invalid_argument>(
                  [&] { static_cast<void>(module.get_function<float*>("scale")); }),
              HasSubstr("scale"));
}

TEST_F(source_module_test, templates_are_found_by_their_cpp_names) {
  source_options cpp;
  cpp.extern_c = false;
  cpp.names = {"scale<double>"};
  const source_module module(
      *gpu, "template <class T> __global__ void scale(T* a, T by) { a[threadIdx.x] *= by; }", cpp);
  std::vector<double> data{1, 2};
  module.get_function("scale<double>")(*gpu_context, {.grid = {1}, .block = {2}}, in_out(data),
                                       0.5);
  EXPECT_THAT(data, ElementsAre(0.5, 1));
}

TEST_F(source_module_test, an_unknown_name_is_an_error_with_the_name) {
  const source_module module(*gpu, scale_source);
  EXPECT_THAT(complaint_of<unsupported>([&] { static_cast<void>(module.get_function("scales")); }),
              AllOf(HasSubstr("'scales'"), Not(HasSubstr("\n"))));
  expect_scales(module.get_function("scale"));
}

TEST_F(source_module_test, warnings_are_kept) {
  EXPECT_THAT(source_module(*gpu, "__global__ void f() { int unused; }").log(),
              HasSubstr("warning"));
}

TEST_F(source_module_test, a_function_outlives_its_module) {
  std::optional<source_module> module(std::in_place, *gpu, scale_source);
  const auto scale = module->get_function("scale");
  module.reset();
  expect_scales(scale);
}

TEST_F(source_module_test, a_function_may_go_before_its_kernel_has_run) {
  device_buffer<long long> result(*gpu_context, 1);
  for (int i = 0; i < 20; ++i) {
    source_module(*gpu,
                  "__global__ void late(long long* result, long long value) {\n"
                  "  const long long start = clock64();\n"
                  "  while (clock64() - start < 1000000) {}\n"
                  "  *result = value;\n"
                  "}\n")
        .get_function<long long*, long long>("late")(gpu_context->stream(), {}, result.data(), i);
    std::vector<long long> arrived(1, -1);
    result.copy_to(arrived);
    EXPECT_THAT(arrived, ElementsAre(i));
  }
}

TEST_F(source_module_test, a_kernel_may_have_no_parameters) {
  const source_module module(*gpu,
                             "__device__ int calls;\n"
                             "__global__ void count() { atomicAdd(&calls, 1); }\n"
                             "__global__ void read(int* to) { *to = calls; }\n");
  module.get_function("count")(*gpu_context, {.grid = {3}, .block = {5}});
  module.get_function("count").prepare<>()(gpu_context->stream(), {});
  std::array<int, 1> calls{};
  module.get_function("read")(*gpu_context, {}, out(calls));
  EXPECT_THAT(calls, ElementsAre(16));
}

TEST_F(source_module_test, a_kernel_may_have_many_parameters_of_many_sizes) {
  const source_module module(
      *gpu,
      "__global__ void sum(double* to, char a, short b, int c, long long d, float e, double f,\n"
      "                    unsigned char g, unsigned short h, unsigned i, unsigned long long j,\n"
      "                    bool k, char l, double m, char n, float o) {\n"
      "  *to = a + 2. * b + 3. * c + 4. * d + 5. * e + 6. * f + 7. * g + 8. * h + 9. * i +\n"
      "        10. * j + 11. * k + 12. * l + 13. * m + 14. * n + 15. * o;\n"
      "}\n");
  std::array<double, 1> sum{};
  module.get_function("sum")(*gpu_context, {}, out(sum), char{1}, short{2}, 3, 4LL, 5.0F, 6.0,
                             static_cast<unsigned char>(7), static_cast<unsigned short>(8), 9U,
                             10ULL, true, char{12}, 13.0, char{14}, 15.0F);
  const double squares = 15 * 16 * 31 / 6;
  EXPECT_THAT(sum, ElementsAre(squares - 11 * 11 + 11));
}

TEST_F(source_module_test, structures_are_passed_by_value) {
  struct vectors {
    double x[3], y[3];
  };
  const source_module module(*gpu,
                             "struct vectors { double x[3], y[3]; };\n"
                             "__global__ void dot(double* to, vectors of) {\n"
                             "  *to = of.x[0] * of.y[0] + of.x[1] * of.y[1] + of.x[2] * of.y[2];\n"
                             "}\n");
  std::array<double, 1> product{};
  module.get_function("dot")(*gpu_context, {}, out(product), vectors{{1, 2, 3}, {4, 5, 6}});
  EXPECT_THAT(product, ElementsAre(32));
}

TEST_F(source_module_test, a_block_may_have_more_shared_memory_than_is_always_permitted) {
  // 48 KiB are always permitted; every GPU since Volta permits 64 KiB on request (CUDA C++
  // Programming Guide, "Compute Capabilities").
  constexpr unsigned ints = (64U << 10U) / sizeof(int);
  const auto reverse = source_module(*gpu,
                                     "__global__ void reverse(const int* src, int* dst, int n) {\n"
                                     "  extern __shared__ int values[];\n"
                                     "  for (int i = threadIdx.x; i < n; i += blockDim.x)\n"
                                     "    values[i] = src[i];\n"
                                     "  __syncthreads();\n"
                                     "  for (int i = threadIdx.x; i < n; i += blockDim.x)\n"
                                     "    dst[i] = values[n - 1 - i];\n"
                                     "}\n")
                           .get_function("reverse");
  std::vector<int> src(ints);
  std::iota(src.begin(), src.end(), 0);
  std::vector<int> dst(ints);
  reverse(*gpu_context, {.block = {256}, .shared_bytes = ints * sizeof(int)}, in(src), out(dst),
          static_cast<int>(ints));
  EXPECT_TRUE(std::equal(dst.begin(), dst.end(), src.rbegin(), src.rend()));
}

TEST_F(source_module_test, an_empty_text_is_a_module_without_functions) {
  const source_module module(*gpu, "");
  EXPECT_THAT(complaint_of<unsupported>([&] { static_cast<void>(module.get_function("any")); }),
              HasSubstr("'any'"));
}

}  // namespace
}  // namespace transfers::launch_test
