// expect: would lose its fraction
#include <cstdint>

#include "transfers/array/arithmetic.hpp"

auto refused(const transfers::gpu_array<std::int32_t>& array) { return array + 2.5; }
