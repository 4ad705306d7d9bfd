#include "src/transfers/core/copy_kernel.hpp"
#include "src/transfers/cuda/check.hpp"
#include "src/transfers/cuda/copy_units.cuh"
#include "src/transfers/cuda/current_context.hpp"
#include "src/transfers/fast/polite_kernel.hpp"
#include "transfers/fast/polite_copy.hpp"

namespace transfers::detail {
namespace {

// What is under way delays everybody else's copies. Reads need 128 KiB to fill a PCIe 5.0 x16 link
// (8 blocks of 512 threads, 2 loads of 16 bytes each). Writes are posted: without acknowledgments
// some MiB of them wait between the multiprocessors and the link. Measured
// (docs/fast_paths/interference.md).
using upload = unit_copy<2>;
using download = acknowledged_unit_copy<8>;

template <class Unit, class Copy>
__global__ void copy_politely(std::byte* dst, const std::byte* src, std::size_t bytes) {
  const std::size_t first = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  const std::size_t stride = gridDim.x * std::size_t{blockDim.x};
  copy_as<Unit, Copy>(dst, src, bytes, first, stride);
}

template <class Copy>
auto kernel_for(std::size_t access_bytes) {
  if (access_bytes == sizeof(uint4)) return copy_politely<uint4, Copy>;
  if (access_bytes == sizeof(unsigned)) return copy_politely<unsigned, Copy>;
  return copy_politely<std::byte, Copy>;
}

}  // namespace

void launch_polite_copy(stream& stream, std::byte* dst, const std::byte* src, std::size_t bytes,
                        direction direction) {
  const current_context current(stream);
  const auto most_blocks = polite_copier::multiprocessors(direction);
  const auto shape =
      shape_of_copy_kernel(dst, src, bytes, static_cast<int>(most_blocks), most_blocks);
  const auto kernel = direction == direction::h2d ? kernel_for<upload>(shape.access_bytes)
                                                  : kernel_for<download>(shape.access_bytes);
  kernel<<<shape.blocks, copy_kernel_threads, 0,
           static_cast<cudaStream_t>(stream.native_handle())>>>(dst, src, bytes);
  cuda_check(cudaGetLastError(), "launch of the kernel that copies politely");
}

}  // namespace transfers::detail
