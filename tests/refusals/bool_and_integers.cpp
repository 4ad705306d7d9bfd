// expect: the other operand must be a number
#include <cstdint>

#include "transfers/array/arithmetic.hpp"

auto refused(const transfers::gpu_array<std::int32_t>& array) { return true + array; }
