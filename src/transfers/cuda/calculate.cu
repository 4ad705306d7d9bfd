#include <thrust/system/cuda/execution_policy.h>

#include "src/transfers/array/calculate.hpp"
#include "src/transfers/cuda/cuda_calculate.hpp"
#include "src/transfers/cuda/thrust_errors.hpp"

namespace transfers::detail {

void calculate_on_cuda(cudaStream_t stream, const elementwise_operation& operation) {
  translated("elementwise arithmetic",
             [&] { calculate(thrust::cuda::par_nosync.on(stream), operation); });
}

void convert_on_cuda(cudaStream_t stream, const conversion& request) {
  translated("conversion of elements",
             [&] { convert(thrust::cuda::par_nosync.on(stream), request); });
}

}  // namespace transfers::detail
