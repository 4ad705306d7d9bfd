#include "transfers/launch/arguments.hpp"

namespace transfers::detail {

sync_on_unwind::~sync_on_unwind() {
  if (!armed_) return;
  try {
    context_.synchronize();
  } catch (...) {  // NOLINT(bugprone-empty-catch): the first exception is the one that counts
  }
}

}  // namespace transfers::detail
