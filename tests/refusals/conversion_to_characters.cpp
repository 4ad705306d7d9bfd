// expect: convertible_element
#include "transfers/array/gpu_array.hpp"

auto refused(const transfers::gpu_array<float>& array) { return array.astype<char>(); }
