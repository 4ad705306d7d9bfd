// expect: the destination of a copy must not be const
#include <vector>

#include "transfers/array/buffer.hpp"

void refused(const transfers::device_buffer<float>& buffer, const std::vector<float>& destination) {
  buffer.copy_to(destination);
}
