// expect: no known conversion
// expect: no matching member function for call to 'set'
#include <vector>

#include "transfers/array/gpu_array.hpp"

void refused(transfers::gpu_array<float>& array, const std::vector<double>& source) {
  array.set(source);
}
