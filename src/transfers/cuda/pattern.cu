#include <thrust/system/cuda/execution_policy.h>

#include "src/transfers/core/pattern.hpp"
#include "src/transfers/cuda/cuda_pattern.hpp"
#include "src/transfers/cuda/thrust_errors.hpp"

namespace transfers::detail {
void write_cuda_pattern(cudaStream_t stream, std::byte* block, std::size_t offset,
                        std::size_t bytes, pattern content) {
  translated("writing the test pattern",
             [&] { write_pattern(thrust::cuda::par.on(stream), block, offset, bytes, content); });
}

pattern_check check_cuda_pattern(cudaStream_t stream, const std::byte* block, std::size_t offset,
                                 std::size_t bytes, pattern content) {
  return translated("checking the test pattern", [&] {
    return check_pattern(thrust::cuda::par.on(stream), block, offset, bytes, content);
  });
}

}  // namespace transfers::detail
