// expect: no match for
// expect: invalid operands to binary expression
#include "transfers/array/arithmetic.hpp"

auto refused(const transfers::gpu_array<float>& a, const transfers::gpu_array<double>& b) {
  return a + b;
}
