#include <algorithm>
#include <cstdint>

#include "src/transfers/core/copy_kernel.hpp"
#include "src/transfers/cuda/bulk_pipeline.cuh"
#include "src/transfers/cuda/check.hpp"
#include "src/transfers/cuda/copy_units.cuh"
#include "src/transfers/cuda/cuda_stream.hpp"
#include "src/transfers/cuda/current_context.hpp"
#include "src/transfers/fast/polite_kernel.hpp"
#include "transfers/core/error.hpp"

namespace transfers::detail {
namespace {

// What is under way delays everybody else's copies, and the boundaries of everybody else's kernels.
// All numbers here are measured (docs/fast_paths/interference.md, docs/fast_paths/company.md).

/// From compute capability 9.0 on.
struct bulk_shape {
  unsigned blocks, warps, stages;  ///< stages of a warp
};
constexpr bulk_shape bulk_shape_for(direction direction, yield_to others) {
  if (direction == direction::d2h) return {2, 1, others == yield_to::both ? 3U : 4U};
  // The addresses of more than 64 MiB are too many for the caches of one multiprocessor: a larger
  // upload of one block is slower.
  if (others == yield_to::both) return {1, 4, 6};
  return {2, 1, bulk_pipeline::most_stages};
}

/// A multiple of 16 bytes at both ends; `before` and `behind` it are single bytes.
struct bulk_range {
  std::size_t before, bytes, behind;
};

constexpr unsigned warp_threads = 32;
constexpr unsigned most_warps = 4;

/// The first thread of each warp has a pipeline of its own. Chunks go round.
__global__ void copy_in_bulk(std::byte* dst, const std::byte* src, bulk_range range,
                             unsigned stages) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) std::byte memory[];
  __shared__ bulk_pipeline::bookkeeping books[most_warps];
  const auto thread = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (thread < range.before) dst[thread] = src[thread];
  if (const auto tail = range.before + range.bytes + thread; thread < range.behind)
    dst[tail] = src[tail];
  if (threadIdx.x % warp_threads != 0) return;
  const auto own = threadIdx.x / warp_threads;
  const auto warps = blockDim.x / warp_threads;
  constexpr std::size_t chunk = bulk_pipeline::stage_bytes;
  bulk_pipeline pipeline(memory + own * stages * chunk, books[own], stages);
  for (auto at = (blockIdx.x * warps + own) * chunk; at < range.bytes;
       at += gridDim.x * warps * chunk)
    pipeline.copy(dst + range.before + at, src + range.before + at,
                  static_cast<unsigned>(min(chunk, range.bytes - at)));
  pipeline.finish();
#endif
}

constexpr int memory_of(const bulk_shape& shape) {
  return static_cast<int>(shape.warps * shape.stages * bulk_pipeline::stage_bytes);
}

/// Whether the machine code, or the PTX that it was made of, has the instructions, and the current
/// device room for the stages.
bool copies_in_bulk(int device) {
  cudaFuncAttributes attributes{};
  cuda_check(cudaFuncGetAttributes(&attributes, copy_in_bulk), "cudaFuncGetAttributes");
  int most = 0;
  for (const auto others : {yield_to::copies, yield_to::both})
    for (const auto direction : {direction::h2d, direction::d2h})
      most = std::max(most, memory_of(bulk_shape_for(direction, others)));
  if (attributes.ptxVersion < 90 ||
      attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device) <
          most + static_cast<int>(attributes.sharedSizeBytes))
    return false;
  cuda_check(
      cudaFuncSetAttribute(copy_in_bulk, cudaFuncAttributeMaxDynamicSharedMemorySize, most),
      "cudaFuncSetAttribute");
  return true;
}

void launch_in_bulk(cudaStream_t stream, std::byte* dst, const std::byte* src, std::size_t bytes,
                    const bulk_shape& shape) {
  constexpr auto unit = bulk_pipeline::unit;
  bulk_range range{};
  range.before = std::min(bytes, (unit - reinterpret_cast<std::uintptr_t>(dst) % unit) % unit);
  range.bytes = (bytes - range.before) / unit * unit;
  range.behind = bytes - range.before - range.bytes;
  copy_in_bulk<<<shape.blocks, shape.warps * warp_threads, memory_of(shape), stream>>>(dst, src, range,
                                                                               shape.stages);
}

// Before, or between addresses that are misaligned to each other: reads need 128 KiB to fill a
// PCIe 5.0 x16 link (8 blocks of 512 threads, 2 loads of 16 bytes each). Writes are posted: without
// acknowledgments some MiB of them wait between the multiprocessors and the link.
using upload = unit_copy<2>;
using download = acknowledged_unit_copy<8>;
using copy_of_one_block = unit_copy<8>;

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

unsigned most_blocks(direction direction, yield_to others) {
  if (others == yield_to::both) return 1;
  return direction == direction::h2d ? 8 : 11;
}

void launch_units(cudaStream_t stream, std::byte* dst, const std::byte* src, std::size_t bytes,
                  const copy_kernel_shape& shape, direction direction, yield_to others) {
  const auto kernel = others == yield_to::both    ? kernel_for<copy_of_one_block>(shape.access_bytes)
                      : direction == direction::h2d ? kernel_for<upload>(shape.access_bytes)
                                                    : kernel_for<download>(shape.access_bytes);
  kernel<<<shape.blocks, copy_kernel_threads, 0, stream>>>(dst, src, bytes);
}

}  // namespace

polite_kernels::polite_kernels(device& device) {
  const auto current = device.make_current();
  in_bulk_ = copies_in_bulk(device.description().cuda->index);
}

unsigned polite_kernels::multiprocessors(direction direction, yield_to others) const {
  return in_bulk_ ? bulk_shape_for(direction, others).blocks : most_blocks(direction, others);
}

void polite_kernels::launch(stream& stream, std::byte* dst, const std::byte* src,
                            std::size_t bytes, direction direction, yield_to others) const {
  const current_context current(stream);
  auto* const handle = static_cast<cudaStream_t>(stream.native_handle());
  const auto blocks = most_blocks(direction, others);
  const auto shape = shape_of_copy_kernel(dst, src, bytes, static_cast<int>(blocks), blocks);
  if (in_bulk_ && shape.access_bytes == bulk_pipeline::unit)
    launch_in_bulk(handle, dst, src, bytes, bulk_shape_for(direction, others));
  else
    launch_units(handle, dst, src, bytes, shape, direction, others);
  cuda_check(cudaGetLastError(), "launch of the kernel that copies politely");
}

}  // namespace transfers::detail
