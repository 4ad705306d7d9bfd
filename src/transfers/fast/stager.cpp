#include "src/transfers/fast/stager.hpp"

#include <algorithm>

#include "src/transfers/fast/move_in_chunks.hpp"
#include "transfers/core/error.hpp"

namespace transfers::detail {
namespace {

pipeline_shape shape_of(const staging& settings) {
  constexpr std::size_t page = 4096;
  if (settings.threads == 0 || settings.chunks_per_thread == 0)
    throw invalid_argument("staging needs a thread and a chunk for it");
  for (const auto chunk :
       {settings.largest_chunk, settings.h2d.least_chunk, settings.d2h.least_chunk})
    if (chunk == 0 || chunk % page != 0 || chunk > settings.largest_chunk)
      throw invalid_argument(
          "chunks must have a multiple of 4096 bytes, and the least one no more than the largest");
  if (settings.blocks == 0 || settings.blocks > slot_copy::most_blocks)
    throw invalid_argument("staging needs 1 to 32 blocks of the kernel");
  return {.threads = settings.threads,
          .slots = settings.chunks_per_thread,
          .streams = settings.threads,
          .host_bytes = settings.largest_chunk};
}

/// A slot is moved by one block: small copies need enough slots for all blocks, and large slots
/// cost the sides fewer words.
std::size_t slot_bytes_of(std::size_t bytes) {
  constexpr std::size_t kib = 1024;
  constexpr std::size_t page = 4 * kib;
  const auto share = bytes / 16 / page * page;
  return std::clamp(share, 32 * kib, (bytes < staging::large ? 128 : 256) * kib);
}

}  // namespace

stager::stager(device& device, const staging& settings)
    : pipeline_(device, shape_of(settings)), blocks_(settings.blocks) {
  if (settings.h2d.kernel_below > 0 || settings.d2h.kernel_below > 0)
    mover_.emplace(device, pipeline_);
}

void stager::copy(const staging::route& route, std::byte* dst, const std::byte* src,
                  std::size_t bytes, direction direction) {
  if (copy_by_kernel(route, dst, src, bytes, direction)) return;
  move_in_chunks(pipeline_, route, dst, src, bytes, direction);
}

bool stager::copy_by_kernel(const staging::route& route, std::byte* dst, const std::byte* src,
                            std::size_t bytes, direction direction) {
  return mover_ && bytes < route.kernel_below &&
         mover_->copy(dst, src, bytes, direction,
                      {.slot_bytes = slot_bytes_of(bytes),
                       .blocks = blocks_,
                       .streaming_stores = route.streams(bytes)});
}

}  // namespace transfers::detail
