// expect: must not be a temporary
#include <vector>

#include "transfers/array/buffer.hpp"

void refused(transfers::device_buffer<float>& buffer) {
  buffer.copy_from_async(std::vector<float>(10));
}
