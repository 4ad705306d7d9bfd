// expect: arithmetic is for 32- and 64-bit integers, float and double
#include "transfers/array/arithmetic.hpp"

void refused(transfers::gpu_array<transfers::half>& array) { array += array; }
