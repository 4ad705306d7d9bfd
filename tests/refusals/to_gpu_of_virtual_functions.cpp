// expect: elements must be trivially copyable
#include <vector>

#include "transfers/array/gpu_array.hpp"

struct with_virtual {
  virtual int value() { return 5; }
};

void refused(const transfers::context& gpu, const std::vector<with_virtual>& source) {
  static_cast<void>(transfers::to_gpu(gpu, source));
}
