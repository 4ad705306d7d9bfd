#include "src/transfers/array/calculate.hpp"
#include "src/transfers/cuda/cuda_calculate.hpp"
#include "src/transfers/cuda/cuda_loops.cuh"

namespace transfers::detail {

void calculate_on_cuda(cudaStream_t stream, const elementwise_operation& operation) {
  calculate(cuda_loops(stream), operation);
}

void write_sequence_on_cuda(cudaStream_t stream, const sequence& request) {
  write_sequence(cuda_loops(stream), request);
}

void fill_on_cuda(cudaStream_t stream, std::byte* memory, std::span<const std::byte> element,
                  std::size_t elements) {
  fill(cuda_loops(stream), memory, element, elements);
}

}  // namespace transfers::detail
