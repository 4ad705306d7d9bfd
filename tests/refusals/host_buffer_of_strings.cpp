// expect: elements must be trivially copyable
#include <string>

#include "transfers/buffer.hpp"

void refused() { const transfers::host_buffer<std::string> buffer(3); }
