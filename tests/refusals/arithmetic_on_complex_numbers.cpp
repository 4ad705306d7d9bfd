// expect: arithmetic is for 32- and 64-bit integers, float and double
#include <complex>

#include "transfers/array/arithmetic.hpp"

auto refused(const transfers::gpu_array<std::complex<float>>& array) { return 2 * array; }
