// expect: no matching function for call to
// Elements of std::vector<bool> have no addresses.
#include <vector>

#include "transfers/array/gpu_array.hpp"

void refused(const transfers::context& gpu, const std::vector<bool>& source) {
  static_cast<void>(transfers::to_gpu(gpu, source));
}
