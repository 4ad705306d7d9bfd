// expect: elements must be trivially copyable
#include <string>

#include "transfers/array/buffer.hpp"

void refused() { const transfers::host_buffer<std::string> buffer(3); }
