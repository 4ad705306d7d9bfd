// The first kernel of PyCUDA's tutorial: doubles a 4 x 4 array in place.
// PyCUDA: func = SourceModule("...").get_function("doublify"); func(cuda.InOut(a), block=(4, 4, 1))
#include <algorithm>
#include <iostream>
#include <numeric>

#include "skip_without_compiler.hpp"

int main() {
  const auto device = transfers::open_default_device();
  std::cout << "Running on " << device->description().name << '\n';
  if (skip_without_compiler(*device)) return 77;
  const transfers::context gpu(*device);

  const auto doublify =
      transfers::either_kernel(*device, R"(
        __global__ void doublify(float* a) {
          const int i = threadIdx.x + threadIdx.y * 4;
          a[i] *= 2;
        })",
                               "doublify", [](const transfers::thread_index& at, float* a) {
                                 const auto i = at.thread.x + at.thread.y * 4;
                                 a[i] *= 2;
                               });

  transfers::host_array<float> a({4, 4});
  std::iota(a.begin(), a.end(), 0.0F);
  doublify(gpu, {.grid = {1}, .block = {4, 4}}, transfers::in_out(a));

  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t column = 0; column < 4; ++column) {
      std::cout << a(row, column) << '\t';
      if (a(row, column) != 2 * static_cast<float>(row * 4 + column)) {
        std::cerr << "Wrong: this was to be " << 2 * (row * 4 + column) << ".\n";
        return 1;
      }
    }
    std::cout << '\n';
  }
}
