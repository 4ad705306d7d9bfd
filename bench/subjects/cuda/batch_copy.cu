#include "bench/cuda/check.hpp"
#include "bench/subjects/batch_copy.hpp"
#include "src/transfers/cuda/toolkit.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::subjects {

std::function<void()> batched_copy(const transfers::device& device, transfers::stream& stream,
                                   const one_copy& copy, source_access_order order) {
  if (!device.description().cuda) return batched_copy_on_host(stream, copy, order);
  const auto native_stream = static_cast<cudaStream_t>(stream.native_handle());
  if (native_stream == nullptr || native_stream == cudaStreamLegacy)
    throw transfers::invalid_argument("cudaMemcpyBatchAsync takes no legacy default stream");
  return [=] {
    void* const dst = copy.dst;
    const void* const src = copy.src;
    cuda_check(transfers::detail::copy_in_batch(&dst, &src, &copy.bytes, 1, static_cast<int>(order),
                                                native_stream),
               "cudaMemcpyBatchAsync");
  };
}

}  // namespace bench_transfers::bench::subjects
