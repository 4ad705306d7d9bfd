#include <algorithm>

#include "src/transfers/cuda/check.hpp"
#include "src/transfers/cuda/copy_units.cuh"
#include "src/transfers/cuda/kernels.hpp"

namespace transfers::detail {
namespace {

constexpr unsigned warp = 32;
constexpr unsigned block_warps = 8;
/// 16 bytes each: what a warp reads of the table at a time is one access to memory.
constexpr unsigned most_at_a_time = 8;

/// Each warp takes `at_a_time` pieces that follow one another in the table, then goes on behind
/// those of all others. A piece of 4 KiB is one round of copy_units, so that all of it is on its
/// way at once; of short ones other warps have enough on theirs.
__global__ void copy_all(const scattered_piece* table, std::size_t pieces, std::byte* on_device,
                         bool to_device, unsigned at_a_time) {
  const unsigned lane = threadIdx.x % warp;
  const std::size_t index = blockIdx.x * std::size_t{block_warps} + threadIdx.x / warp;
  const std::size_t warps = gridDim.x * std::size_t{block_warps};
  for (std::size_t first = index * at_a_time; first < pieces; first += warps * at_a_time) {
    const auto count = static_cast<unsigned>(min(static_cast<unsigned long long>(at_a_time),
                                                 static_cast<unsigned long long>(pieces - first)));
    // Host address, and bytes and offset as scattered_piece has them.
    ulonglong2 mine{};
    if (lane < count) mine = reinterpret_cast<const ulonglong2*>(table)[first + lane];
    for (unsigned k = 0; k < count; ++k) {
      auto* const host = reinterpret_cast<std::byte*>(__shfl_sync(~0U, mine.x, k));
      const auto place = __shfl_sync(~0U, mine.y, k);
      const auto bytes = static_cast<unsigned>(place & 0xFFFFU);
      auto* const there = on_device + (place >> 16U);
      if (to_device)
        copy_bytes(there, host, bytes, lane, warp);
      else
        copy_bytes(host, there, bytes, lane, warp);
    }
  }
}

}  // namespace

void launch_pieces(const scattered_piece* table, std::size_t pieces, std::byte* on_device,
                   direction way, int multiprocessors, cudaStream_t stream) {
  const auto most_blocks = std::min<std::size_t>(static_cast<std::size_t>(multiprocessors),
                                                 stream::most_blocks_for_pieces);
  // Few pieces are spread over as many warps as there are of them.
  const auto at_a_time =
      std::clamp<std::size_t>(pieces / (most_blocks * block_warps), 1, most_at_a_time);
  const auto each = at_a_time * block_warps;
  const auto blocks = std::min((pieces + each - 1) / each, most_blocks);
  copy_all<<<static_cast<unsigned>(blocks), block_warps * warp, 0, stream>>>(
      table, pieces, on_device, way == direction::h2d, static_cast<unsigned>(at_a_time));
  cuda_check(cudaGetLastError(), "launch of the kernel that copies pieces");
}

}  // namespace transfers::detail
