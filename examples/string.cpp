// A string to the GPU and back: any contiguous range can be sent.
// PyCUDA: takes what has Python's buffer protocol, for example cuda.memcpy_htod(a_gpu, b"...")
#include <iostream>
#include <string>

#include "transfers/transfers.hpp"

int main() {
  const auto device = transfers::open_default_device();
  std::cout << "Running on " << device->description().name << '\n';
  const transfers::context gpu(*device);

  const std::string text = "Grüße an die GPU";
  const auto text_gpu = transfers::to_gpu(gpu, text);  // a gpu_array<char>

  std::string back(text_gpu.size(), ' ');
  text_gpu.get(back);

  if (back != text) {
    std::cerr << "Wrong: \"" << back << "\" came back.\n";
    return 1;
  }
  std::cout << back.size() << " bytes came back: \"" << back << "\"\n";
}
