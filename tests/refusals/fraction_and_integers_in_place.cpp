// expect: no match for
// expect: invalid operands to binary expression
// expect: no viable overloaded '*='
#include <cstdint>

#include "transfers/array/arithmetic.hpp"

void refused(transfers::gpu_array<std::int32_t>& array) { array *= 2.5; }
