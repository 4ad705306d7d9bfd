#include <algorithm>

#include "src/transfers/cuda/check.hpp"
#include "src/transfers/cuda/copy_units.cuh"
#include "src/transfers/cuda/kernels.hpp"
#include "src/transfers/cuda/scattered_pieces.cuh"

namespace transfers::detail {
namespace {

constexpr unsigned block_warps = 8;
constexpr unsigned most_at_a_time = 8;

/// Each warp copies `at_a_time` consecutive pieces of the table, then continues after those of all
/// other warps. A piece of 4 KiB is one round of copy_units, so all of it is in flight at once;
/// with short pieces, enough loads of other warps are in flight.
__global__ void copy_all(const scattered_piece* table, std::size_t pieces, std::byte* on_device,
                         bool to_device, unsigned at_a_time) {
  const unsigned lane = threadIdx.x % warp_threads;
  const std::size_t index = blockIdx.x * std::size_t{block_warps} + threadIdx.x / warp_threads;
  const std::size_t warps = gridDim.x * std::size_t{block_warps};
  for (std::size_t first = index * at_a_time; first < pieces; first += warps * at_a_time) {
    const auto count = static_cast<unsigned>(min(std::size_t{at_a_time}, pieces - first));
    for_each_piece(table + first, count, lane, on_device, to_device,
                   [lane](std::byte* dst, const std::byte* src, unsigned bytes) {
                     copy_bytes(dst, src, bytes, lane, warp_threads);
                   });
  }
}

}  // namespace

void launch_pieces(const scattered_piece* table, std::size_t pieces, std::byte* on_device,
                   direction direction, int multiprocessors, cudaStream_t stream) {
  const auto most_blocks = std::min<std::size_t>(static_cast<std::size_t>(multiprocessors),
                                                 stream::most_blocks_for_pieces);
  // A small number of pieces is spread over as many warps.
  const auto at_a_time =
      std::clamp<std::size_t>(pieces / (most_blocks * block_warps), 1, most_at_a_time);
  const auto pieces_per_block = at_a_time * block_warps;
  const auto blocks = std::min((pieces + pieces_per_block - 1) / pieces_per_block, most_blocks);
  copy_all<<<static_cast<unsigned>(blocks), block_warps * warp_threads, 0, stream>>>(
      table, pieces, on_device, direction == direction::h2d, static_cast<unsigned>(at_a_time));
  cuda_check(cudaGetLastError(), "launch of the kernel that copies pieces");
}

kernel_addresses pieces_kernels() { return addresses_of(copy_all); }

}  // namespace transfers::detail
