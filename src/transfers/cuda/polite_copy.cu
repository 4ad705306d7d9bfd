#include <algorithm>
#include <cstdint>

#include "src/transfers/core/copy_kernel.hpp"
#include "src/transfers/cuda/bulk_pipeline.cuh"
#include "src/transfers/cuda/check.hpp"
#include "src/transfers/cuda/copy_units.cuh"
#include "src/transfers/cuda/cuda_stream.hpp"
#include "src/transfers/cuda/current_context.hpp"
#include "src/transfers/cuda/kernels.hpp"
#include "src/transfers/cuda/scattered_pieces.cuh"
#include "src/transfers/fast/polite_kernel.hpp"
#include "transfers/core/error.hpp"

namespace transfers::detail {
namespace {

// What is under way delays everybody else's copies, and everybody else's kernels.
// docs/fast_paths/interference.md and docs/fast_paths/company.md have what was measured.

/// Of copies that yield to both.
struct bulk_shape {
  unsigned blocks, warps, stages;  ///< stages of a warp
};
constexpr bulk_shape bulk_shape_for(direction direction) {
  return direction == direction::h2d ? bulk_shape{1, 4, 6} : bulk_shape{2, 1, 3};
}

/// A multiple of 16 bytes at both ends; `before` and `behind` it are single bytes.
struct bulk_range {
  std::size_t before, bytes, behind;
};

[[maybe_unused]] constexpr unsigned most_warps = 4;  // without bulk copies
using chunk_pipeline = bulk_pipeline<8192>;

/// The first thread of each warp has a pipeline of its own. Chunks go round.
__global__ void copy_in_bulk(std::byte* dst, const std::byte* src, bulk_range range,
                             unsigned stages) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) std::byte memory[];
  __shared__ chunk_pipeline::bookkeeping books[most_warps];
  const auto thread = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (thread < range.before) dst[thread] = src[thread];
  if (const auto tail = range.before + range.bytes + thread; thread < range.behind)
    dst[tail] = src[tail];
  if (threadIdx.x % warp_threads != 0) return;
  const auto own = threadIdx.x / warp_threads;
  const auto warps = blockDim.x / warp_threads;
  constexpr std::size_t chunk = chunk_pipeline::stage_bytes;
  chunk_pipeline pipeline(memory + own * stages * chunk, books[own], stages);
  for (auto at = (blockIdx.x * warps + own) * chunk; at < range.bytes;
       at += gridDim.x * warps * chunk)
    pipeline.copy(dst + range.before + at, src + range.before + at,
                  static_cast<unsigned>(min(chunk, range.bytes - at)));
  pipeline.finish();
#endif
}

// Pieces of 4 KiB, of which a warp has fewer bytes under way than of chunks.
using piece_pipeline = bulk_pipeline<scattered_piece::most_bytes>;
constexpr unsigned piece_warps = 8;
constexpr unsigned piece_stages = 6;
constexpr int piece_memory = piece_warps * piece_stages * piece_pipeline::stage_bytes;

/// One block. The first thread of each warp copies. Pieces that bulk copies cannot move, because of
/// their addresses or size, all threads copy.
__global__ void copy_pieces_in_bulk(const scattered_piece* table, std::size_t pieces,
                                    std::byte* on_device, bool to_device) {
#if __CUDA_ARCH__ >= 900
  extern __shared__ __align__(128) std::byte memory[];
  __shared__ piece_pipeline::bookkeeping books[piece_warps];
  const unsigned lane = threadIdx.x % warp_threads;
  const unsigned own = threadIdx.x / warp_threads;
  piece_pipeline pipeline(memory + own * piece_stages * piece_pipeline::stage_bytes, books[own],
                          piece_stages, lane == 0);
  for (std::size_t first = own * warp_threads; first < pieces;
       first += std::size_t{piece_warps} * warp_threads) {
    const auto count = static_cast<unsigned>(min(std::size_t{warp_threads}, pieces - first));
    for_each_piece(table + first, count, lane, on_device, to_device,
                   [&](std::byte* dst, const std::byte* src, unsigned bytes) {
                     const auto low_bits = reinterpret_cast<std::uintptr_t>(dst) |
                                           reinterpret_cast<std::uintptr_t>(src) |
                                           std::uintptr_t{bytes};
                     if (low_bits % piece_pipeline::unit != 0)
                       copy_bytes(dst, src, bytes, lane, warp_threads);
                     else if (lane == 0)
                       pipeline.copy(dst, src, bytes);
                   });
  }
  if (lane == 0) pipeline.finish();
#endif
}

constexpr int memory_of(const bulk_shape& shape) {
  return static_cast<int>(shape.warps * shape.stages * chunk_pipeline::stage_bytes);
}

/// Whether the machine code of a kernel, or the PTX that it was made of, has the instructions, and
/// the current device room for its stages. Makes the room.
template <class Kernel>
bool copies_in_bulk(Kernel* kernel, int memory, int device) {
  cudaFuncAttributes attributes{};
  if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess) {
    cudaGetLastError();  // copies by engines need no kernel; the launch of one reports this
    return false;
  }
  if (attributes.ptxVersion < 90 || attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device) <
                                        memory + static_cast<int>(attributes.sharedSizeBytes))
    return false;
  cuda_check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, memory),
             "cudaFuncSetAttribute");
  return true;
}

void launch_in_bulk(cudaStream_t stream, std::byte* dst, const std::byte* src, std::size_t bytes,
                    const bulk_shape& shape) {
  constexpr auto unit = chunk_pipeline::unit;
  bulk_range range{};
  range.before = std::min(bytes, (unit - reinterpret_cast<std::uintptr_t>(dst) % unit) % unit);
  range.bytes = (bytes - range.before) / unit * unit;
  range.behind = bytes - range.before - range.bytes;
  copy_in_bulk<<<shape.blocks, shape.warps * warp_threads, memory_of(shape), stream>>>(
      dst, src, range, shape.stages);
}

// Of copies that yield to copies, and where there are no bulk copies. Reads need 128 KiB to fill a
// PCIe 5.0 x16 link (8 blocks of 512 threads, 2 loads of 16 bytes each). Writes are posted: without
// acknowledgments some MiB of them wait between the multiprocessors and the link. One block alone
// does not fill the link.
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

template <class Copy>
kernel_addresses of_all_units() {
  return addresses_of(copy_politely<uint4, Copy>, copy_politely<unsigned, Copy>,
                      copy_politely<std::byte, Copy>);
}

unsigned most_blocks(direction direction, yield_to others) {
  if (others == yield_to::both) return 1;
  return direction == direction::h2d ? 8 : 11;
}

void launch_units(cudaStream_t stream, std::byte* dst, const std::byte* src, std::size_t bytes,
                  const copy_kernel_shape& shape, direction direction, yield_to others) {
  const auto kernel = others == yield_to::both ? kernel_for<copy_of_one_block>(shape.access_bytes)
                      : direction == direction::h2d ? kernel_for<upload>(shape.access_bytes)
                                                    : kernel_for<download>(shape.access_bytes);
  kernel<<<shape.blocks, copy_kernel_threads, 0, stream>>>(dst, src, bytes);
}

}  // namespace

kernel_addresses polite_copy_kernels() {
  auto all = addresses_of(copy_in_bulk, copy_pieces_in_bulk);
  for (const auto& kernels :
       {of_all_units<upload>(), of_all_units<download>(), of_all_units<copy_of_one_block>()})
    all.insert(all.end(), kernels.begin(), kernels.end());
  return all;
}

polite_kernels::polite_kernels(device& device) {
  const auto current = device.make_current();
  const auto index = device.description().cuda->index;
  in_bulk_ = copies_in_bulk(copy_in_bulk,
                            std::max(memory_of(bulk_shape_for(direction::h2d)),
                                     memory_of(bulk_shape_for(direction::d2h))),
                            index) &&
             copies_in_bulk(copy_pieces_in_bulk, piece_memory, index);
}

unsigned polite_kernels::multiprocessors(direction direction, yield_to others) const {
  const auto most = most_blocks(direction, others);
  return in_bulk_ && others == yield_to::both ? std::max(most, bulk_shape_for(direction).blocks)
                                              : most;
}

void polite_kernels::launch(stream& stream, std::byte* dst, const std::byte* src, std::size_t bytes,
                            direction direction, yield_to others) const {
  const current_context current(stream);
  auto* const handle = static_cast<cudaStream_t>(stream.native_handle());
  const auto blocks = most_blocks(direction, others);
  const auto shape = shape_of_copy_kernel(dst, src, bytes, static_cast<int>(blocks), blocks);
  if (others == yield_to::both && in_bulk_ && shape.access_bytes == chunk_pipeline::unit)
    launch_in_bulk(handle, dst, src, bytes, bulk_shape_for(direction));
  else
    launch_units(handle, dst, src, bytes, shape, direction, others);
  cuda_check(cudaGetLastError(), "launch of the kernel that copies politely");
}

void polite_kernels::launch_pieces(stream& stream, const scattered_piece* table, std::size_t pieces,
                                   std::byte* on_device, direction direction) const {
  if (!in_bulk_) return stream.copy_pieces(table, pieces, on_device, direction);
  const current_context current(stream);
  copy_pieces_in_bulk<<<1, piece_warps * warp_threads, piece_memory,
                        static_cast<cudaStream_t>(stream.native_handle())>>>(
      table, pieces, on_device, direction == direction::h2d);
  cuda_check(cudaGetLastError(), "launch of the kernel that copies pieces politely");
}

}  // namespace transfers::detail
