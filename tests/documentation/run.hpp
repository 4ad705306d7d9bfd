#pragma once

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string_view>

#include "transfers/transfers.hpp"

/// Runs the code of a page on the host device ("host") or on a GPU ("cuda"). Returns the exit code:
/// 77 where there is no GPU, or no compiler for a page that needs it.
inline int run(void (*page)(), int count, char** arguments) try {
  const bool cuda = count == 2 && arguments[1] == std::string_view("cuda");
  if (cuda && transfers::find_cuda().devices == 0) return 77;
  if (!cuda) setenv("CUDA_VISIBLE_DEVICES", "", 1);  // before the first call of CUDA
  page();
  return 0;
} catch (const transfers::unsupported& reason) {
  std::printf("%s\n", reason.what());
  return transfers::find_cuda().devices > 0 && transfers::why_no_compiler() ? 77 : 1;
} catch (const std::exception& failure) {
  std::printf("%s\n", failure.what());
  return 1;
}
