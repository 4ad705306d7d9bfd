// expect: would lose its fraction
#include <cstdint>

#include "transfers/array/arithmetic.hpp"

void refused(transfers::gpu_array<std::int32_t>& array) { array *= 2.5; }
