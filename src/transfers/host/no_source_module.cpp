// Stands in for cuda/source_module.cpp when the program is built without NVRTC or for an older
// CUDA.
#include "transfers/core/device.hpp"
#include "transfers/core/error.hpp"
#include "transfers/launch/source_module.hpp"

namespace transfers {

class source_module::loaded {};

std::optional<std::string> why_no_compiler() { return TRANSFERS_WHY_NO_NVRTC; }

compiled_source compile_source(std::string_view /*source*/, std::string_view /*architecture*/,
                               const source_options& /*options*/) {
  throw unsupported(*why_no_compiler());
}

source_module::source_module(device& device, std::string_view /*source*/,
                             const source_options& /*options*/) {
  if (!device.description().cuda)
    throw unsupported(
        "kernels from source text need a CUDA device; the host device runs host functions");
  throw unsupported(*why_no_compiler());
}

function source_module::get_function(const std::string& name) const {
  throw unsupported("there is no function " + name + ": " + *why_no_compiler());
}

}  // namespace transfers
