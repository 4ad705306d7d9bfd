#pragma once

#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

#include "transfers/transfers.hpp"

namespace detail {

/// Ends the program with the exit code that ctest counts as "skipped" when there is no compiler.
inline transfers::source_module compile(transfers::device& device, std::string_view source) {
  try {
    return {device, source};
  } catch (const transfers::unsupported& reason) {
    std::cout << "Skipped: " << reason.what() << std::endl;
    std::exit(77);
  }
}

}  // namespace detail

/// The kernel `name` of CUDA source text on a GPU, like SourceModule(source).get_function(name).
/// The host has no kernels: a C++ function replaces it there. Its first parameter is the thread's
/// index, and the others are the kernel's.
template <class OnHost>
transfers::function either_kernel(transfers::device& device, std::string_view source,
                                  const std::string& name, OnHost&& on_host) {
  if (device.description().cuda) return detail::compile(device, source).get_function(name);
  return transfers::host_function(name, std::forward<OnHost>(on_host));
}
