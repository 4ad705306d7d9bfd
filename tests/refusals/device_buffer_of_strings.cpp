// expect: elements must be trivially copyable
#include <string>

#include "transfers/array/buffer.hpp"

void refused(const transfers::context& gpu) {
  const transfers::device_buffer<std::string> buffer(gpu, 3);
}
