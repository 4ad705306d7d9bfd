// expect: kernel arguments must be trivially copyable
#include <string>

#include "transfers/launch/launch.hpp"

auto refused(const transfers::function& kernel) { return kernel.prepare<std::string>(); }
