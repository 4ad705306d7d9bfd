#include "transfers/fast/staged_copy.hpp"

#include <stdexcept>

#include "src/transfers/fast/move_in_chunks.hpp"
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
};

staged_copier::staged_copier(device& device, const staging& settings)
    : state_(new state{.device = device, .settings = settings}) {}

staged_copier::~staged_copier() = default;

const staging& staged_copier::settings() const noexcept { return state_->settings; }

void staged_copier::copy(std::byte* dst, const std::byte* src, std::size_t bytes,
                         direction direction) {
  if (bytes == 0) return;
  if (stages(bytes, direction)) {
    detail::move_in_chunks(state_->pipeline, state_->settings[direction], dst, src, bytes,
                           direction);
    return;
  }
  state_->device.copy(dst, src, bytes, direction);
}

}  // namespace transfers
