// Stands in for cuda/ when the program is built without nvcc.
#include "mailbox_services.hpp"
#include "transfers/device.hpp"
#include "transfers/error.hpp"
#include "transfers/launch.hpp"

namespace transfers {

cuda_presence find_cuda() noexcept {
  return {0, "this program was built without the CUDA toolkit"};
}

std::unique_ptr<device> open_cuda_device(int /*index*/) { throw unsupported(find_cuda().why_none); }

function cuda_function(std::string /*name*/, const void* /*kernel*/) {
  throw unsupported(find_cuda().why_none);
}

mailbox::service detail::cuda_echo_service() { throw unsupported(find_cuda().why_none); }

}  // namespace transfers
