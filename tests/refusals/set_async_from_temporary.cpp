// expect: must not be a temporary
#include <vector>

#include "transfers/array/gpu_array.hpp"

void refused(transfers::gpu_array<float>& array) { array.set_async(std::vector<float>(10)); }
