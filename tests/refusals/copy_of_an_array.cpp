// expect: use of deleted function
// expect: call to implicitly-deleted copy constructor
// expect: has been implicitly deleted
#include "transfers/array/gpu_array.hpp"

auto refused(const transfers::gpu_array<float>& array) { return transfers::gpu_array(array); }
