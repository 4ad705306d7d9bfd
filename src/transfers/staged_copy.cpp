#include "transfers/staged_copy.hpp"

#include <algorithm>
#include <stdexcept>

#include "move_in_chunks.hpp"

namespace transfers {
namespace {

detail::pipeline_shape shape_of(const staging& how) {
  constexpr std::size_t page = 4096;
  if (how.threads == 0 || how.chunks_per_thread == 0 || how.h2d.chunk_growth == 0 ||
      how.d2h.chunk_growth == 0)
    throw std::invalid_argument("staging needs a thread, a chunk for it, and chunks that grow");
  if (how.largest_chunk == 0 || how.largest_chunk % page != 0)
    throw std::invalid_argument("the largest chunk must be a multiple of 4096 bytes");
  return {.threads = how.threads, .slots = how.chunks_per_thread, .host_bytes = how.largest_chunk};
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

std::size_t staged_copier::chunk_bytes(std::size_t bytes, direction way) const noexcept {
  const auto& how = state_->how.in(way);
  if (bytes < how.least_bytes) return 0;
  return std::min(bytes, detail::chunk_size(bytes, how.chunk_growth, state_->how.largest_chunk));
}

void staged_copier::copy(std::byte* destination, const std::byte* source, std::size_t bytes,
                         direction way) {
  if (bytes == 0) return;
  const auto& how = state_->how.in(way);
  if (bytes < how.least_bytes)
    state_->on.copy(destination, source, bytes, way);
  else
    detail::move_in_chunks(state_->pipeline, how, destination, source, bytes, way);
}

}  // namespace transfers
