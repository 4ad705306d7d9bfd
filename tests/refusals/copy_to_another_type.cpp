// expect: the destination must have the elements' type: nothing is converted on the way
#include <vector>

#include "transfers/array/buffer.hpp"

void refused(const transfers::device_buffer<float>& buffer, std::vector<double>& destination) {
  buffer.copy_to(destination);
}
