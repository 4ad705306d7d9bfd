// Numbers are double on the host and float on the device: where are they to be converted?
// PyCUDA: gpuarray.to_gpu(a.astype(numpy.float32)) on the host, a_gpu.astype(numpy.float32) there
#include <algorithm>
#include <iostream>
#include <vector>

#include "transfers/transfers.hpp"

int main() {
  const auto device = transfers::open_default_device();
  std::cout << "Running on " << device->description().name << '\n';
  const transfers::context gpu(*device);

  const std::vector<double> thirds{1 / 3.0, 2 / 3.0, 4 / 3.0, 5 / 3.0};
  const std::vector<float> expected(thirds.begin(), thirds.end());

  using transfers::convert_on;
  // By the CPU's cores, and then half as many bytes are copied.
  const auto before = transfers::to_gpu_as<float>(gpu, thirds, convert_on::host);
  // By the device, after all of them have been copied.
  const auto after = transfers::to_gpu_as<float>(gpu, thirds, convert_on::device);
  // An array that is on the device already.
  const auto there = transfers::to_gpu(gpu, thirds).astype<float>();

  for (const auto* each : {&before, &after, &there})
    if (!std::ranges::equal(each->get(), expected)) {
      std::cerr << "Wrong: the device has other floats than the host.\n";
      return 1;
    }
  std::cout << thirds.size() * sizeof(double) << " bytes of doubles became " << before.bytes()
            << " bytes of floats, the same ones all three ways.\n";
}
