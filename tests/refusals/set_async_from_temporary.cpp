// expect: must not be a temporary
#include <vector>

#include "transfers/gpu_array.hpp"

void refused(transfers::gpu_array<float>& array) { array.set_async(std::vector<float>(10)); }
