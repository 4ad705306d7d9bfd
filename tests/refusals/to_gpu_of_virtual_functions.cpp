// expect: elements must be trivially copyable
#include <vector>

#include "transfers/gpu_array.hpp"

struct with_virtual {
  virtual int value() { return 5; }
};

void refused(const transfers::context& gpu, const std::vector<with_virtual>& source) {
  static_cast<void>(transfers::to_gpu(gpu, source));
}
