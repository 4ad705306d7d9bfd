// The program on PyCUDA's front page: a kernel from source text multiplies two arrays of 400 floats
// that are in host memory before and after. in() and out() carry them across.
// PyCUDA: multiply_them(drv.Out(dest), drv.In(a), drv.In(b), block=(400, 1, 1), grid=(1, 1))
#include <algorithm>
#include <iostream>
#include <random>
#include <vector>

#include "skip_without_compiler.hpp"

int main() {
  const auto device = transfers::open_default_device();
  std::cout << "Running on " << device->description().name << '\n';
  if (skip_without_compiler(*device)) return 77;
  const transfers::context gpu(*device);

  const auto multiply_them = transfers::either_kernel(
      *device, R"(
        __global__ void multiply_them(float* dest, const float* a, const float* b) {
          const int i = threadIdx.x;
          dest[i] = a[i] * b[i];
        })",
      "multiply_them",
      [](const transfers::thread_index& at, float* dest, const float* a, const float* b) {
        const auto i = at.thread.x;
        dest[i] = a[i] * b[i];
      });

  std::mt19937 random;
  std::normal_distribution<float> normal;
  std::vector<float> a(400);
  std::vector<float> b(400);
  std::ranges::generate(a, [&] { return normal(random); });
  std::ranges::generate(b, [&] { return normal(random); });

  std::vector<float> dest(400);
  multiply_them(gpu, {.grid = {1}, .block = {400}}, transfers::out(dest), transfers::in(a),
                transfers::in(b));

  for (std::size_t i = 0; i < dest.size(); ++i)
    if (dest[i] != a[i] * b[i]) {
      std::cerr << "Wrong: " << a[i] << " * " << b[i] << " is not " << dest[i] << ".\n";
      return 1;
    }
  std::cout << dest.size() << " products are right, the first: " << a[0] << " * " << b[0] << " = "
            << dest[0] << '\n';
}
