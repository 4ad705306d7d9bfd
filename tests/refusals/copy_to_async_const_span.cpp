// expect: the destination of a copy must not be const
#include <span>

#include "transfers/array/buffer.hpp"

void refused(const transfers::device_buffer<float>& buffer, std::span<const float> destination) {
  buffer.copy_to_async(destination);
}
