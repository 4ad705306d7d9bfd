#include "src/transfers/array/reduce.hpp"
#include "src/transfers/cuda/cuda_calculate.hpp"
#include "src/transfers/cuda/cuda_loops.cuh"

namespace transfers::detail {

element_value reduce_on_cuda(cudaStream_t stream, const reduction& request) {
  return reduce(cuda_loops(stream), request);
}

}  // namespace transfers::detail
