#include "transfers/launch/arguments.hpp"

namespace transfers::detail {

waits_when_unwinding::~waits_when_unwinding() {
  if (!armed_) return;
  try {
    context_.synchronize();
  } catch (...) {  // NOLINT(bugprone-empty-catch): the first exception is the one to see
  }
}

}  // namespace transfers::detail
