// Stands in for cuda/ when the program is built without CUDA.
#include "transfers/device.hpp"
#include "transfers/error.hpp"
#include "transfers/launch.hpp"

namespace transfers {

cuda_presence find_cuda() noexcept {
  return {0, "this program was built without CUDA: " TRANSFERS_WHY_NO_CUDA};
}

std::unique_ptr<device> open_cuda_device(int /*index*/) { throw unsupported(find_cuda().why_none); }

function cuda_function(std::string /*name*/, const void* /*kernel*/) {
  throw unsupported(find_cuda().why_none);
}

}  // namespace transfers
