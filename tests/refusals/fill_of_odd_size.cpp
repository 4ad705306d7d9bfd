// expect: only elements of 1, 2, 4, 8 and 16 bytes can fill an array
#include <array>

#include "transfers/array/create.hpp"

void refused(transfers::gpu_array<std::array<float, 3>>& array) { fill(array, {1, 2, 3}); }
