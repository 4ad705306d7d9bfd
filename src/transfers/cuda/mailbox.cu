#include "src/transfers/cuda/check.hpp"
#include "src/transfers/cuda/current_context.hpp"
#include "src/transfers/cuda/kernels.hpp"
#include "src/transfers/fast/mailbox_services.hpp"
#include "transfers/fast/mailbox.cuh"

namespace transfers::detail {
namespace {

__global__ void echo(mailbox_end end) {
  mailbox_on_device box(end);
  for (std::uint32_t message = 0; box.receive(message);) box.answer(message);
}

}  // namespace

mailbox::service cuda_echo_service() {
  return [](stream& stream, const mailbox_end& end) {
    const current_context current(stream);
    echo<<<1, 1, 0, static_cast<cudaStream_t>(stream.native_handle())>>>(end);
    cuda_check(cudaGetLastError(), "launch of the kernel that answers messages");
  };
}

kernel_addresses mailbox_kernels() { return addresses_of(echo); }

}  // namespace transfers::detail
