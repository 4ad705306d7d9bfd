// Numbers are double on the host and float on the device: which side converts them?
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
  // The CPU's cores convert them; then half as many bytes are copied.
  const auto from_host = transfers::to_gpu_as<float>(gpu, thirds, convert_on::host);
  // The device converts them, after all bytes have been copied.
  const auto from_device = transfers::to_gpu_as<float>(gpu, thirds, convert_on::device);
  // An array that is already on the device.
  const auto on_device = transfers::to_gpu(gpu, thirds).astype<float>();

  for (const auto* array : {&from_host, &from_device, &on_device})
    if (!std::ranges::equal(array->get(), expected)) {
      std::cerr << "Wrong: the device has other floats than the host.\n";
      return 1;
    }
  std::cout << thirds.size() * sizeof(double) << " bytes of doubles became " << from_host.bytes()
            << " bytes of floats, the same ones all three ways.\n";
}
