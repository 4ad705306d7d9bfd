// Stands in for cuda/ when the program is built without CUDA.
#include <stdexcept>

#include "src/transfers/fast/mailbox_services.hpp"
#include "src/transfers/fast/polite_kernel.hpp"
#include "transfers/core/device.hpp"
#include "transfers/core/error.hpp"
#include "transfers/fast/managed.hpp"
#include "transfers/launch/launch.hpp"

namespace transfers {

cuda_presence find_cuda() noexcept {
  return {0, "this program was built without CUDA: " TRANSFERS_WHY_NO_CUDA};
}

std::unique_ptr<device> open_cuda_device(int /*index*/) { throw unsupported(find_cuda().why_none); }

function cuda_function(std::string /*name*/, const void* /*kernel*/) {
  throw unsupported(find_cuda().why_none);
}

namespace detail {
std::shared_ptr<const function_body> make_cuda_function(std::string /*name*/,
                                                        const void* /*kernel*/,
                                                        std::vector<parameter> /*parameters*/) {
  throw unsupported(find_cuda().why_none);
}
}  // namespace detail

// Without CUDA no managed memory exists, so its functions are never called.
managed_memory::managed_memory(device& device, std::size_t bytes) : bytes_(bytes) {
  if (bytes == 0) throw invalid_argument("cannot allocate zero bytes of managed memory");
  throw unsupported(why_no_managed_memory(device).value_or(find_cuda().why_none));
}
void managed_memory::prefetch(stream& /*stream*/, residence /*target*/) const {
  throw unsupported(find_cuda().why_none);
}
std::optional<residence> managed_memory::prefetched_to() const { return std::nullopt; }

namespace detail {

mailbox::service cuda_echo_service() { throw unsupported(find_cuda().why_none); }

polite_kernels::polite_kernels(device& /*device*/) { throw unsupported(find_cuda().why_none); }
unsigned polite_kernels::multiprocessors(direction /*direction*/, yield_to /*others*/) const {
  return 0;
}
void polite_kernels::launch_pieces(stream& /*stream*/, const scattered_piece* /*table*/,
                                   std::size_t /*pieces*/, std::byte* /*on_device*/,
                                   direction /*direction*/) const {
  throw unsupported(find_cuda().why_none);
}
void polite_kernels::launch(stream& /*stream*/, std::byte* /*dst*/, const std::byte* /*src*/,
                            std::size_t /*bytes*/, direction /*direction*/,
                            yield_to /*others*/) const {
  throw unsupported(find_cuda().why_none);
}

}  // namespace detail
}  // namespace transfers
