// A kernel of this program, started by the library: both must use the same CUDA runtime.
#include <cstdio>
#include <transfers/transfers.hpp>
#include <vector>

__global__ void twice(float* values, unsigned count) {
  if (threadIdx.x < count) values[threadIdx.x] *= 2;
}

int main() {
  if (transfers::find_cuda().devices == 0) {
    std::puts("no GPU");
    return 0;
  }
  std::vector<float> values{1, 2, 3, 4};
  const auto device = transfers::open_cuda_device(0);
  const auto current = device->make_current();
  transfers::context gpu(*device);
  const auto kernel = transfers::cuda_function("twice", reinterpret_cast<const void*>(&twice));
  kernel(gpu, {.grid = {1}, .block = {4}}, transfers::in_out(values), 4u);
  std::printf("%g\n", values[3]);
  return values[3] == 8 ? 0 : 1;
}
