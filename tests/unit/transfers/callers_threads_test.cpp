#include <gtest/gtest.h>
#include <omp.h>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "transfers/array/arithmetic.hpp"
#include "transfers/array/gpu_array.hpp"
#include "transfers/core/context.hpp"

namespace transfers::callers_threads_test {
namespace {

int mark = 0;
#pragma omp threadprivate(mark)

constexpr int threads = 4;

void mark_threads() {
#pragma omp parallel num_threads(threads)
  mark = 1 + omp_get_thread_num();
}

/// The number of threads that are still the marked ones (OpenMP 5.0, section 2.19.2: threadprivate
/// data persist between parallel regions with the same number of threads).
int marked_threads() {
  int marked = 0;
#pragma omp parallel num_threads(threads) reduction(+ : marked)
  marked += mark == 1 + omp_get_thread_num() ? 1 : 0;
  return marked;
}

struct library_call {
  std::string name;
  std::function<void(const context&)> run;

  friend void PrintTo(const library_call& call, std::ostream* out) { *out << call.name; }
};

void convert_on_host(const context& gpu, std::size_t elements) {
  const std::vector<double> source(elements, 1);
  const auto array = to_gpu_as<float>(gpu, source, convert_on::host);
  EXPECT_EQ(array.get()[elements - 1], 1);
}

void convert_in_each_thread(std::size_t elements) {
#pragma omp parallel num_threads(threads)
  {
    const auto host = open_host_device();
    convert_on_host(context(*host), elements);
  }
}

void upload_every_second(const context& gpu, std::size_t elements) {
  const std::vector<float> source(2 * elements, 1);
  const auto array = to_gpu(gpu, strided_view<const float>(source, {elements}, {2}));
  EXPECT_EQ(array.get()[elements - 1], 1);
}

/// The calling thread works alone on few elements; all cores work on many.
constexpr std::size_t few_elements = 16;
constexpr std::size_t many_elements = std::size_t{3} << 20;

class openmp_threads_of_the_caller : public testing::TestWithParam<library_call> {};

TEST_P(openmp_threads_of_the_caller, outlive_a_call) {
  const auto host = open_host_device();
  const context gpu(*host);
  omp_set_dynamic(0);
  mark_threads();
  ASSERT_EQ(marked_threads(), threads);
  GetParam().run(gpu);
  EXPECT_EQ(marked_threads(), threads);
}

INSTANTIATE_TEST_SUITE_P(
    all, openmp_threads_of_the_caller,
    testing::Values(
        library_call{"few_conversions",
                     [](const context& gpu) { convert_on_host(gpu, few_elements); }},
        library_call{"many_conversions",
                     [](const context& gpu) { convert_on_host(gpu, many_elements); }},
        library_call{"few_strided",
                     [](const context& gpu) { upload_every_second(gpu, few_elements); }},
        library_call{"many_strided",
                     [](const context& gpu) { upload_every_second(gpu, many_elements); }},
        library_call{"conversions_in_each_thread",
                     [](const context&) { convert_in_each_thread(many_elements); }},
        library_call{"arithmetic",
                     [](const context& gpu) {
                       const auto array = zeros<float>(gpu, {many_elements}) + 1;
                       EXPECT_EQ(array.get()[many_elements - 1], 1);
                     }}),
    [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace transfers::callers_threads_test
