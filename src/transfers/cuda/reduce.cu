#include <thrust/system/cuda/execution_policy.h>

#include "src/transfers/array/reduce.hpp"
#include "src/transfers/cuda/cuda_calculate.hpp"
#include "src/transfers/cuda/thrust_errors.hpp"

namespace transfers::detail {

element_value reduce_on_cuda(cudaStream_t stream, const reduction& request) {
  // With par_nosync, Thrust allocates its temporary memory in stream order (cudaMallocAsync); with
  // par, by cudaMalloc, which synchronises the device. It waits for the result in either case.
  return translated("reduction",
                    [&] { return reduce(thrust::cuda::par_nosync.on(stream), request); });
}

}  // namespace transfers::detail
