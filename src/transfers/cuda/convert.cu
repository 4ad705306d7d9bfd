#include <thrust/system/cuda/execution_policy.h>

#include "src/transfers/array/convert.hpp"
#include "src/transfers/cuda/cuda_calculate.hpp"
#include "src/transfers/cuda/thrust_errors.hpp"

namespace transfers::detail {

void convert_on_cuda(cudaStream_t stream, const conversion& request) {
  translated("conversion of elements",
             [&] { convert_by(thrust::cuda::par_nosync.on(stream), request); });
}

}  // namespace transfers::detail
