// expect: the destination must have the elements' type: nothing is converted on the way
#include <vector>

#include "transfers/array/gpu_array.hpp"

void refused(const transfers::gpu_array<float>& array, std::vector<int>& destination) {
  array.get(destination);
}
