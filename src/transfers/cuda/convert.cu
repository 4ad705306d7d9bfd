#include "src/transfers/array/convert.hpp"
#include "src/transfers/cuda/cuda_calculate.hpp"
#include "src/transfers/cuda/cuda_loops.cuh"
#include "src/transfers/cuda/thrust_errors.hpp"

namespace transfers::detail {

void convert_on_cuda(cudaStream_t stream, const conversion& request) {
  translated("conversion of elements", [&] { convert_by(cuda_loops(stream), request); });
}

}  // namespace transfers::detail
