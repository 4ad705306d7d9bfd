#include "transfers/fast/staged_copy.hpp"

#include "src/transfers/fast/copy_row.hpp"
#include "src/transfers/fast/move_staged.hpp"

namespace transfers {

struct staged_copier::state {
  std::shared_ptr<transfers::device> device;
  staging settings;
  std::unique_ptr<detail::chunk_ring> ring = detail::make_ring(*device, settings);
  detail::copy_row row = {};
};

staged_copier::staged_copier(device& device, const staging& settings)
    : state_(new state{.device = detail::kept(device), .settings = settings}) {}

staged_copier::~staged_copier() = default;

detail::device_identity staged_copier::identity() const noexcept {
  return state_->device->identity();
}

const staging& staged_copier::settings() const noexcept { return state_->settings; }

void staged_copier::copy(std::byte* dst, const std::byte* src, std::size_t bytes,
                         direction direction) {
  if (bytes == 0) return;
  if (stages(bytes, direction, state_->row.pace()))
    detail::move_staged(*state_->ring, state_->settings, dst, src, bytes, direction);
  else
    state_->ring->copy_whole(dst, src, bytes, direction);
  state_->row.end();
}

}  // namespace transfers
