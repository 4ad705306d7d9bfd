#include "transfers/fast/staged_copy.hpp"

#include <optional>
#include <stdexcept>

#include "src/transfers/fast/move_in_chunks.hpp"
#include "src/transfers/fast/slot_mover.hpp"
#include "transfers/core/error.hpp"

namespace transfers {
namespace {

detail::pipeline_shape shape_of(const staging& settings) {
  constexpr std::size_t page = 4096;
  if (settings.threads == 0 || settings.chunks_per_thread == 0)
    throw invalid_argument("staging needs a thread and a chunk for it");
  for (const auto chunk :
       {settings.largest_chunk, settings.h2d.least_chunk, settings.d2h.least_chunk})
    if (chunk == 0 || chunk % page != 0 || chunk > settings.largest_chunk)
      throw invalid_argument(
          "chunks must have a multiple of 4096 bytes, and the least one no more than the largest");
  for (const auto slot : {settings.h2d.slot, settings.d2h.slot})
    if (slot == 0 || slot % page != 0)
      throw invalid_argument("slots must have a multiple of 4096 bytes");
  if (settings.blocks == 0 || settings.blocks > slot_copy::most_blocks)
    throw invalid_argument("staging needs 1 to 32 blocks of the kernel");
  return {.threads = settings.threads,
          .slots = settings.chunks_per_thread,
          .streams = settings.threads,
          .host_bytes = settings.largest_chunk};
}

}  // namespace

struct staged_copier::state {
  transfers::device& device;
  staging settings;
  detail::chunk_pipeline pipeline{device, shape_of(settings)};
  std::optional<detail::slot_mover> mover = std::nullopt;  ///< only if a kernel is to move anything

  /// False if a kernel is not to move it, or cannot start.
  [[nodiscard]] bool copy_by_kernel(std::byte* dst, const std::byte* src, std::size_t bytes,
                                    direction direction) {
    const auto& route = settings[direction];
    return bytes < route.kernel_below && mover->copy(dst, src, bytes, direction,
                                                     {.slot_bytes = route.slot,
                                                      .blocks = settings.blocks,
                                                      .streaming_stores = route.streams(bytes)});
  }
};

staged_copier::staged_copier(device& device, const staging& settings)
    : state_(new state{.device = device, .settings = settings}) {
  if (settings.h2d.kernel_below > 0 || settings.d2h.kernel_below > 0)
    state_->mover.emplace(device, state_->pipeline);
}

staged_copier::~staged_copier() = default;

const staging& staged_copier::settings() const noexcept { return state_->settings; }

void staged_copier::copy(std::byte* dst, const std::byte* src, std::size_t bytes,
                         direction direction) {
  if (bytes == 0) return;
  if (!stages(bytes, direction)) return state_->device.copy(dst, src, bytes, direction);
  if (state_->copy_by_kernel(dst, src, bytes, direction)) return;
  detail::move_in_chunks(state_->pipeline, state_->settings[direction], dst, src, bytes, direction);
}

}  // namespace transfers
