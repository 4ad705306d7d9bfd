// expect: no match for
// expect: invalid operands to binary expression
#include "transfers/array/arithmetic.hpp"

auto refused(const transfers::gpu_array<char>& array) { return array + array; }
