#include "transfers/fast/staged_copy.hpp"

#include <stdexcept>

#include "src/transfers/fast/move_in_chunks.hpp"

namespace transfers {
namespace {

detail::pipeline_shape shape_of(const staging& how) {
  constexpr std::size_t page = 4096;
  if (how.threads == 0 || how.chunks_per_thread == 0)
    throw std::invalid_argument("staging needs a thread and a chunk for it");
  for (const auto chunk : {how.largest_chunk, how.h2d.least_chunk, how.d2h.least_chunk})
    if (chunk == 0 || chunk % page != 0 || chunk > how.largest_chunk)
      throw std::invalid_argument(
          "chunks must have a multiple of 4096 bytes, and the least one no more than the largest");
  return {.threads = how.threads,
          .slots = how.chunks_per_thread,
          .streams = how.threads,
          .host_bytes = how.largest_chunk};
}

}  // namespace

struct staged_copier::state {
  device& on;
  staging how;
  detail::chunk_pipeline pipeline{on, shape_of(how)};
};

staged_copier::staged_copier(device& on, const staging& how)
    : state_(new state{.on = on, .how = how}) {}

staged_copier::~staged_copier() = default;

const staging& staged_copier::how() const noexcept { return state_->how; }

void staged_copier::copy(std::byte* destination, const std::byte* source, std::size_t bytes,
                         direction way) {
  if (bytes == 0) return;
  if (stages(bytes, way)) {
    detail::move_in_chunks(state_->pipeline, state_->how.in(way), destination, source, bytes, way);
    return;
  }
  state_->on.copy(destination, source, bytes, way);
}

}  // namespace transfers
