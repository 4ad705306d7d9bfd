// expect: must not be a temporary
#include "transfers/array/gpu_array.hpp"

void refused(transfers::gpu_array<float>& array) {
  array.set_async(transfers::host_array<float>({10}));
}
