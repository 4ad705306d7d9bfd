// expect: the destination of a copy must not be const
#include <vector>

#include "transfers/array/gpu_array.hpp"

void refused(const transfers::gpu_array<float>& array, const std::vector<float>& destination) {
  array.get(destination);
}
