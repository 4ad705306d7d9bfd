#include "src/transfers/array/convert.hpp"
#include "src/transfers/cuda/cuda_calculate.hpp"
#include "src/transfers/cuda/cuda_loops.cuh"

namespace transfers::detail {

void convert_on_cuda(cudaStream_t stream, const conversion& request) {
  convert_by(cuda_loops(stream), request);
}

}  // namespace transfers::detail
