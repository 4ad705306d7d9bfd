// expect: arithmetic is for arrays of one element type
#include "transfers/array/arithmetic.hpp"

auto refused(const transfers::gpu_array<float>& a, const transfers::gpu_array<double>& b) {
  return a + b;
}
