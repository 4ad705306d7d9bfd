// expect: elements must be trivially copyable
#include <string>
#include <vector>

#include "transfers/array/gpu_array.hpp"

void refused(const transfers::context& gpu, const std::vector<std::string>& source) {
  static_cast<void>(transfers::to_gpu(gpu, source));
}
