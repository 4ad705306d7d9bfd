// expect: elements must be trivially copyable
#include <string>
#include <vector>

#include "transfers/launch/arguments.hpp"

void refused(const transfers::context& gpu, const std::vector<std::string>& source) {
  transfers::call(
      gpu, [](const std::string*) {}, transfers::in(source));
}
