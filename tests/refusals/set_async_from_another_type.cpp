// expect: the source must have the elements' type
#include <vector>

#include "transfers/array/gpu_array.hpp"

void refused(transfers::gpu_array<float>& array, const std::vector<double>& source) {
  array.set_async(source);
}
