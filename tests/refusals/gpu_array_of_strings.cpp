// expect: elements must be trivially copyable
#include <string>

#include "transfers/array/gpu_array.hpp"

void refused(const transfers::context& gpu) {
  const transfers::gpu_array<std::string> array(gpu, {3});
}
