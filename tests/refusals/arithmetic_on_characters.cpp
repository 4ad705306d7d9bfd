// expect: arithmetic is for 32- and 64-bit integers, float and double
#include "transfers/array/arithmetic.hpp"

auto refused(const transfers::gpu_array<char>& array) { return array + array; }
