#include "bench/cuda/check.hpp"
#include "bench/subjects/batch_copy.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::subjects {
namespace {

static_assert(static_cast<int>(source_access_order::stream) == cudaMemcpySrcAccessOrderStream);
static_assert(static_cast<int>(source_access_order::during_api_call) ==
              cudaMemcpySrcAccessOrderDuringApiCall);
static_assert(static_cast<int>(source_access_order::any) == cudaMemcpySrcAccessOrderAny);

}  // namespace

std::function<void()> batched_copy(const transfers::device& device, transfers::stream& stream,
                                   const one_copy& copy, source_access_order order) {
  if (!device.description().cuda) return batched_copy_on_host(stream, copy, order);
  const auto native_stream = static_cast<cudaStream_t>(stream.native_handle());
  if (native_stream == nullptr || native_stream == cudaStreamLegacy)
    throw transfers::invalid_argument("cudaMemcpyBatchAsync takes no legacy default stream");
  cudaMemcpyAttributes attributes{};
  attributes.srcAccessOrder = static_cast<cudaMemcpySrcAccessOrder>(order);
  return [=]() mutable {
    void* const dst = copy.dst;
    const void* const src = copy.src;
    std::size_t first_with_attributes = 0;
    cuda_check(cudaMemcpyBatchAsync(&dst, &src, &copy.bytes, 1, &attributes, &first_with_attributes,
                                    1, native_stream),
               "cudaMemcpyBatchAsync");
  };
}

}  // namespace bench_transfers::bench::subjects
