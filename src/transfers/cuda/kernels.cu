#include "src/transfers/core/copy_kernel.hpp"
#include "src/transfers/cuda/check.hpp"
#include "src/transfers/cuda/copy_units.cuh"
#include "src/transfers/cuda/kernels.hpp"

namespace transfers::detail {
namespace {

template <class Unit>
__global__ void copy(std::byte* destination, const std::byte* source, std::size_t bytes) {
  const std::size_t first = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  const std::size_t stride = gridDim.x * std::size_t{blockDim.x};
  copy_as<Unit>(destination, source, bytes, first, stride);
}

}  // namespace

void launch_copy(std::byte* destination, const std::byte* source, std::size_t bytes,
                 int multiprocessors, unsigned most_blocks, cudaStream_t stream) {
  const auto shape = shape_of_copy_kernel(destination, source, bytes, multiprocessors, most_blocks);
  const auto kernel = shape.access_bytes == sizeof(uint4)      ? copy<uint4>
                      : shape.access_bytes == sizeof(unsigned) ? copy<unsigned>
                                                               : copy<std::byte>;
  kernel<<<shape.blocks, copy_kernel_threads, 0, stream>>>(destination, source, bytes);
  cuda_check(cudaGetLastError(), "launch of the copy kernel");
}

kernel_addresses copy_kernels() {
  return addresses_of(copy<uint4>, copy<unsigned>, copy<std::byte>);
}

kernel_addresses transfer_kernels() {
  kernel_addresses all;
  for (const auto& kernels :
       {copy_kernels(), pieces_kernels(), polite_copy_kernels(), mailbox_kernels()})
    all.insert(all.end(), kernels.begin(), kernels.end());
  return all;
}

void load_transfer_kernels() {
  for (const auto* const kernel : transfer_kernels()) {
    cudaFuncAttributes attributes{};
    if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess) {
      cudaGetLastError();  // copies by engines need no kernel; the launch of one reports this
      return;
    }
  }
}

}  // namespace transfers::detail
