#include <thrust/system/cuda/execution_policy.h>

#include "src/transfers/array/calculate.hpp"
#include "src/transfers/cuda/cuda_calculate.hpp"
#include "src/transfers/cuda/thrust_errors.hpp"

namespace transfers::detail {

void calculate_on_cuda(cudaStream_t stream, const elementwise_operation& what) {
  translated("elementwise arithmetic",
             [&] { calculate(thrust::cuda::par_nosync.on(stream), what); });
}

void convert_on_cuda(cudaStream_t stream, const conversion& what) {
  translated("conversion of elements", [&] { convert(thrust::cuda::par_nosync.on(stream), what); });
}

}  // namespace transfers::detail
