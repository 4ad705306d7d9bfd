// expect: the destination of a copy must not be const
#include <vector>

#include "transfers/launch/arguments.hpp"

void refused(const transfers::context& gpu, const std::vector<float>& destination) {
  transfers::call(
      gpu, [](float*) {}, transfers::out(destination));
}
