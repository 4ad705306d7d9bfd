// expect: arrays on a device have no comparisons
#include "transfers/array/arithmetic.hpp"

auto refused(const transfers::gpu_array<float>& array) { return array > 1.5F; }
