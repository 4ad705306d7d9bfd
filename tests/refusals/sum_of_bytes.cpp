// expect: reductions are for 32- and 64-bit integers, float and double
#include <cstdint>

#include "transfers/array/reduce.hpp"

auto refused(const transfers::gpu_array<std::uint8_t>& array) { return sum(array); }
