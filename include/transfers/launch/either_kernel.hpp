#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "transfers/launch/launch.hpp"
#include "transfers/launch/source_module.hpp"

namespace transfers {

/// The kernel `name` of CUDA source text on a CUDA device, like
/// SourceModule(source).get_function(name). The host device has no kernels: there it is the C++
/// function `host_kernel`, as for host_function(). Both have the same parameters, and calls are
/// checked against those of the C++ function. Throws what source_module throws.
template <class F>
[[nodiscard]] auto either_kernel(device& device, std::string_view source, const std::string& name,
                                 F&& host_kernel) {
  const auto on_host = host_function(name, std::forward<F>(host_kernel));
  if (!device.description().cuda) return on_host;
  const auto kernel = source_module(device, source).get_function(name);
  return detail::with_types_of(on_host, kernel);
}

}  // namespace transfers
