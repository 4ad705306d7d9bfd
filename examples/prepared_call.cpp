// Two kinds of calls of a kernel. A plain call checks its arguments and waits for the result; a
// prepared call only enqueues.
// PyCUDA: func(y_gpu, x_gpu, numpy.float32(0.5), block=..., grid=...)
//         func.prepare("PPf"); func.prepared_call(grid, block, y_gpu.gpudata, x_gpu.gpudata, 0.5)
#include <algorithm>
#include <iostream>
#include <stdexcept>
#include <vector>

#include "skip_without_compiler.hpp"

int main() {
  const auto device = transfers::open_default_device();
  std::cout << "Running on " << device->description().name << '\n';
  if (skip_without_compiler(*device)) return 77;
  const transfers::context gpu(*device);

  const auto add_scaled = transfers::either_kernel(
      *device, R"(
        __global__ void add_scaled(float* y, const float* x, float factor) {
          const int i = blockIdx.x * blockDim.x + threadIdx.x;
          y[i] += factor * x[i];
        })",
      "add_scaled", [](const transfers::thread_index& at, float* y, const float* x, float factor) {
        y[at.x()] += factor * x[at.x()];
      });

  const auto x = transfers::to_gpu(gpu, std::vector<float>(512, 4.0F));
  auto y = transfers::zeros<float>(gpu, {512});
  const transfers::launch_shape threads{.grid = {4}, .block = {128}};

  // The compiler knows the kernel's parameters, from the C++ function: 0.5 does not compile.
  for (int i = 0; i < 100; ++i) add_scaled(gpu, threads, y, x, 0.5F);

  // Numbers are converted, as in any call of a C++ function.
  const auto prepared = add_scaled.prepare();
  for (int i = 0; i < 100; ++i) prepared(gpu.stream(), threads, y.data(), x.data(), 0.5);

  const auto result = y.get();  // waits for all calls
  if (std::ranges::any_of(result, [](float value) { return value != 400; })) {
    std::cerr << "Wrong: 200 times 0.5 * 4 should be 400.\n";
    return 1;
  }
  std::cout << "100 plain and 100 prepared calls: every element is " << result[0] << '\n';

  // A kernel whose types the compiler does not know, as source_module gives them: every call
  // compares the number and sizes of its arguments. 0.5 is a double; the kernel would read half of
  // its bytes as a float.
  const transfers::function untyped = add_scaled;
  try {
    untyped(gpu, threads, y, x, 0.5);
  } catch (const std::invalid_argument& refusal) {
    std::cout << "Refused, as it should be: " << refusal.what() << '\n';
    return 0;
  }
  std::cerr << "Wrong: a double was taken for a float.\n";
  return 1;
}
