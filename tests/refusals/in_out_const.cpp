// expect: the destination of a copy must not be const
#include <span>

#include "transfers/launch/arguments.hpp"

void refused(const transfers::context& gpu, std::span<const float> destination) {
  transfers::call(
      gpu, [](float*) {}, transfers::in_out(destination));
}
