// Arrays on the GPU that one can calculate with.
// PyCUDA: a_gpu = gpuarray.to_gpu(numpy.random.randn(4, 4).astype(numpy.float32))
//         a_doubled = (2 * a_gpu).get()
// and gpuarray.empty, zeros, empty_like, zeros_like.
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <random>

#include "transfers/transfers.hpp"

namespace {

void print(const char* name, const transfers::host_array<float>& a) {
  std::cout << name << " =\n" << std::fixed << std::setprecision(3);
  for (std::size_t row = 0; row < a.shape()[0]; ++row) {
    for (std::size_t column = 0; column < a.shape()[1]; ++column)
      std::cout << std::setw(8) << a(row, column);
    std::cout << '\n';
  }
}

}  // namespace

int main() {
  const auto device = transfers::open_default_device();
  std::cout << "Running on " << device->description().name << '\n';
  const transfers::context gpu(*device);

  transfers::host_array<float> a({4, 4});
  std::ranges::generate(
      a, [random = std::mt19937(), normal = std::normal_distribution<float>()]() mutable {
        return normal(random);
      });

  const auto a_gpu = transfers::to_gpu(gpu, a);
  const auto a_doubled = (2 * a_gpu).get();
  print("a", a);
  print("2 * a", a_doubled);
  if (!std::ranges::equal(a_doubled, a, {}, {}, [](float x) { return 2 * x; })) {
    std::cerr << "Wrong: 2 * a is not twice a.\n";
    return 1;
  }

  // Arrays made on the device, and arithmetic in place. Every line only enqueues and returns at
  // once; get() waits for the work before it.
  auto sum = transfers::zeros_like(a_gpu);  // shape and order of a_gpu
  sum += a_gpu;
  sum += a_gpu;
  auto quotient = transfers::empty<float>(gpu, {4, 4});            // uninitialised
  calculate(transfers::arithmetic::divide, sum, a_gpu, quotient);  // into existing memory
  const auto zero = (quotient - 2).get();
  if (std::ranges::any_of(zero, [](float x) { return x != 0; })) {
    std::cerr << "Wrong: (a + a) / a - 2 is not zero.\n";
    return 1;
  }
  std::cout << "(a + a) / a - 2 is zero everywhere.\n";
}
