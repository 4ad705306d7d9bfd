// Plain memory on the GPU: allocate, copy there, copy back.
// PyCUDA: a_gpu = cuda.mem_alloc(a.nbytes); cuda.memcpy_htod(a_gpu, a); cuda.memcpy_dtoh(b, a_gpu)
// Lengths and element types are checked; the memory is freed when the buffer goes.
#include <iostream>
#include <vector>

#include "transfers/transfers.hpp"

int main() {
  const auto device = transfers::open_default_device();
  std::cout << "Running on " << device->description().name << '\n';
  const transfers::context gpu(*device);

  const std::vector<float> a{1, 2, 3, 4};
  std::vector<float> b(a.size());

  transfers::device_buffer<float> a_gpu(gpu, a.size());
  a_gpu.copy_from(a);
  a_gpu.copy_to(b);

  if (b != a) {
    std::cerr << "Wrong: what came back is not what was sent.\n";
    return 1;
  }
  std::cout << a_gpu.bytes() << " bytes went to the device and came back unchanged.\n";
}
