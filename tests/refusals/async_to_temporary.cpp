// expect: must not be a temporary
#include <transfers/transfers.hpp>
#include <vector>

void refused(const transfers::gpu_array<float>& array) { array.get_async(std::vector<float>(10)); }
