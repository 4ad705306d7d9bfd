// expect: arithmetic_element
#include "transfers/gpu_array.hpp"

auto refused(const transfers::gpu_array<float>& array) { return array.astype<char>(); }
