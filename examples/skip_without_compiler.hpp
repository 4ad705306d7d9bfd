#pragma once

#include <iostream>

#include "transfers/transfers.hpp"

/// Prints why there is no compiler for the kernels of a GPU. ctest counts exit code 77 as
/// "skipped".
inline bool skip_without_compiler(const transfers::device& device) {
  const auto reason = transfers::why_no_compiler();
  if (!reason || !device.description().cuda) return false;
  std::cout << "Skipped: " << *reason << '\n';
  return true;
}
