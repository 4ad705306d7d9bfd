// expect: kernel arguments must be trivially copyable
#include <string>

#include "transfers/launch/launch.hpp"

auto refused() {
  return transfers::host_function("f", [](const transfers::thread_index&, std::string) {});
}
